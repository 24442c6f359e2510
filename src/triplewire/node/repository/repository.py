"""The repository of events: everything that is kept of them, as one dataset that answers SPARQL.

It follows the log. The default graph is the union of all events, a set: a triple of three events is in it once; each
event is a named graph. SERVICE, FROM and LOAD are refused.

Error handling: events that the process cannot take are tried again in ever smaller lots; one that fails alone, so many
times, is left out with the reason, and the rest flows (row F11).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

from triplewire.errors import BudgetExceeded
from triplewire.languages.sparql.lowering.balanced_trees import balanced
from triplewire.languages.sparql.lowering.oxigraph_limits import check_evaluable
from triplewire.languages.sparql.parsing.parser import parse_query
from triplewire.languages.sparql.printing.printer import print_query
from triplewire.languages.sparql.syntax import ast
from triplewire.node.broker.broker import Broker
from triplewire.node.repository.following import Allowed, FollowingStore, Result
from triplewire.store.tables import log
from triplewire.store.tables.log import Record

_log = logging.getLogger(__name__)
_CHUNK = 256
_TRIES = 3
_ADD_SECONDS = 60.0


class Repository(FollowingStore):
    """Follows a broker's log."""

    def __init__(self, folder: Path, broker: Broker, allowed: Allowed) -> None:
        super().__init__("events", folder, allowed)
        self._broker = broker
        # Adding and removing take turns: what was removed must not be added by somebody who read it before.
        self._changing = asyncio.Lock()
        self._floor = 0
        self._lot = _CHUNK
        self._failures = 0
        self.quarantined: dict[str, str] = {}

    async def start(self) -> None:
        """Begin to follow the log."""
        self._broker.events.followers.append(self._notice)
        await super().start()

    async def query(self, text: str, media_type: str) -> Result:
        """Evaluate a query over everything that was acknowledged before it came."""
        tree = parse_query(text)
        check_evaluable(tree)
        printed = print_query(balanced(tree))
        return await self.ask(("query", printed, media_type), await self._broker.store.read(log.head))

    async def remove(self, graphs: Sequence[str], floor: int) -> None:
        """Forget events that retention is about to remove, all up to a position."""
        async with self._changing:
            self._floor = max(self._floor, floor)
            await self._process.ask(("remove", list(graphs)), _ADD_SECONDS)

    def _notice(self, records: Sequence[Record]) -> None:
        if records:
            self.notice()

    async def take_some(self) -> bool:
        """Add what follows; whether there was something."""
        async with self._changing:
            if not self._process.is_running:
                await self._process.start()
            after = max(self.position, self._floor)
            records = await self._broker.store.read(lambda tx: log.after(tx, after, self._lot))
            if records:
                await self._add(records)
        return bool(records)

    async def _add(self, records: Sequence[Record]) -> None:
        events = [(r.graph, r.nquads) for r in records if r.graph not in self.quarantined]
        try:
            _, self._process.position = await self._process.ask(("add", records[-1].position, events), _ADD_SECONDS)
            if self._lot < _CHUNK:
                # In doubt, so that the next crash does not cost what is behind us.
                await self._process.ask(("flush",), _ADD_SECONDS)
        except BudgetExceeded as problem:
            self._failed(records, str(problem))
        else:
            self._lot, self._failures = min(_CHUNK, self._lot * 2), 0

    def _failed(self, records: Sequence[Record], reason: str) -> None:
        if len(records) > 1:
            self._lot = max(1, len(records) // 2)
            return
        self._failures += 1
        if self._failures >= _TRIES:
            [poison] = records
            self._failures = 0
            self.quarantined[poison.graph] = reason
            _log.error("the event <%s> is left out of the repository: %s", poison.graph, reason)


def is_graph_query(text: str) -> bool:
    """Whether a query's result is RDF."""
    return isinstance(parse_query(text), ast.ConstructQuery)
