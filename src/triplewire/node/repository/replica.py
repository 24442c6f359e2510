"""The replica: the living graph as its journal of changes tells it, in a process that answers SPARQL queries.

It never is in the way of what changes the living graph, nor of what rules ask of it. A query is answered over every
change that was acknowledged before it came. Where the journal does not reach back to where the replica is, or is far
longer than the graph, it is filled from a snapshot.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from triplewire.errors import BudgetExceeded, StoreFailed
from triplewire.languages.sparql.lowering.balanced_trees import balanced
from triplewire.languages.sparql.lowering.oxigraph_limits import check_evaluable
from triplewire.languages.sparql.printing.printer import print_dataset_query
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.datasets import DatasetQuery
from triplewire.languages.sparql.syntax.scope import projected
from triplewire.node.broker.broker import Broker
from triplewire.node.living.edits import GraphName
from triplewire.node.repository.following import Allowed, FollowingStore, Result
from triplewire.rdf.terms import NamedNode, Quad
from triplewire.store.disk import Connection
from triplewire.store.tables import living_graph
from triplewire.store.tables.living_graph import ChangeRecord

_log = logging.getLogger(__name__)
_CHANGES = 256
_BYTES = 8 << 20
_QUADS = 50_000
# Further behind, everything there is takes less time than everything that happened.
_FAR_BEHIND = 100_000
_TRIES = 3
_SECONDS = 120.0


class Replica(FollowingStore):
    """Follows a broker's living graph."""

    def __init__(self, folder: Path, broker: Broker, allowed: Allowed) -> None:
        super().__init__("living", folder, allowed)
        self._broker = broker
        self._failures = 0

    async def start(self) -> None:
        """Begin to follow the journal."""
        self._broker.living.store.listeners.append(self.notice)
        await super().start()

    async def query(self, query: DatasetQuery, media_type: str) -> Result:
        """Evaluate a query over every change that was acknowledged before it came."""
        check_evaluable(query.query)
        printed = print_dataset_query(balanced(_with_columns(query)))
        return await self.ask(("query", printed, media_type), self._broker.living.store.head)

    async def graph(self, graph: GraphName, media_type: str) -> Result:
        """All triples of one graph."""
        name = graph.value if isinstance(graph, NamedNode) else None
        return await self.ask(("graph", name, media_type), self._broker.living.store.head)

    async def take_some(self) -> bool:
        """Apply the next changes, or begin anew."""
        if not self._process.is_running:
            await self._process.start()
        at = self.position
        floor, head, changes = await self._broker.store.read(lambda tx: _page(tx, at))
        if at < floor or at > head or head - at > _FAR_BEHIND:
            await self._tried(self._fill())
            return True
        if changes:
            await self._tried(self._apply(changes))
        return bool(changes)

    async def _apply(self, changes: Sequence[ChangeRecord]) -> None:
        added, removed = _net(changes)
        message = ("apply", changes[-1].position, _document(added), _document(removed))
        _, self._process.position = await self._process.ask(message, _SECONDS)

    async def _fill(self) -> None:
        position, documents = await asyncio.to_thread(self._broker.living.store.snapshot, _documents)
        _log.info("the replica of the living graph is filled anew, at position %d", position)
        _, self._process.position = await self._process.ask(("reset",), _SECONDS)
        for document in documents:
            await self._process.ask(("fill", document), _SECONDS)
        _, self._process.position = await self._process.ask(("filled", position), _SECONDS)

    async def _tried(self, work: Awaitable[None]) -> None:
        """Do it; a process that did not survive it starts again, a few times."""
        try:
            await work
        except BudgetExceeded as problem:
            self._failures += 1
            if self._failures >= _TRIES:
                raise StoreFailed(f"the replica of the living graph cannot be kept: {problem}") from None
        else:
            self._failures = 0


def _with_columns(query: DatasetQuery) -> DatasetQuery:
    """`SELECT *` with its variables as they come in the text; Oxigraph would have them by name."""
    asked = query.query
    if not isinstance(asked, ast.SelectQuery) or asked.projection is not None:
        return query
    return replace(query, query=replace(asked, projection=projected(asked) or None))


def _page(tx: Connection, position: int) -> tuple[int, int, list[ChangeRecord]]:
    floor, head = living_graph.floor(tx), living_graph.head(tx)
    if not floor <= position < head:
        return floor, head, []
    return floor, head, living_graph.after(tx, position, living_graph.fitting(tx, position, _CHANGES, _BYTES))


def _net(changes: Sequence[ChangeRecord]) -> tuple[list[str], list[str]]:
    """Changes as one: of a quad, the last one decides."""
    holds: dict[str, bool] = {}
    for change in changes:
        holds.update(dict.fromkeys(change.removed, False))
        holds.update(dict.fromkeys(change.added, True))
    return [line for line, now in holds.items() if now], [line for line, now in holds.items() if not now]


def _documents(position: int, quads: Iterator[Quad]) -> tuple[int, list[bytes]]:
    """Everything, in parts. All of it on one thread, since that is what Oxigraph's iterators want."""
    documents: list[bytes] = []
    while chunk := [str(quad) for quad in islice(quads, _QUADS)]:
        documents.append(_document(chunk))
    return position, documents


def _document(lines: Sequence[str]) -> bytes:
    return "".join([f"{line} .\n" for line in lines]).encode()
