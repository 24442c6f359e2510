"""The repository: everything that is kept, as one dataset that answers SPARQL.

It follows the log. Its store lives in a process of its own (`worker`), so that a query that runs away is
ended from outside by killing that process, which costs nobody else anything: it starts again and goes on from where
it was. The default graph is the union of all events, a set: a triple of three events is in it once; each event is a
named graph.

No text reaches Oxigraph that was not read by our own front end first; SERVICE, FROM and LOAD are refused there, and
what is sent is printed from the syntax tree (rows A2 and A10).

Error handling: events that the process cannot take are tried again in ever smaller lots; one that fails alone, so many
times, is left out with the reason, and the rest flows (row F11).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from triplewire.errors import BudgetExceeded, InputError, StoreError, StoreFailed
from triplewire.languages.sparql.lowering.balanced_trees import balanced
from triplewire.languages.sparql.lowering.oxigraph_limits import check_evaluable
from triplewire.languages.sparql.parsing.parser import parse_query
from triplewire.languages.sparql.printing.printer import print_query
from triplewire.languages.sparql.syntax import ast
from triplewire.node.broker.broker import Broker
from triplewire.node.repository.process import RepositoryProcess
from triplewire.store.tables import log
from triplewire.store.tables.log import Record
from triplewire.system.supervisor import Supervisor

MIB = 1 << 20
_log = logging.getLogger(__name__)
_CHUNK = 256
_TRIES = 3
_ADD_SECONDS = 60.0
_BEHIND_SECONDS = 5.0


class Allowed(Struct, frozen=True):
    """What one query may use: seconds, bytes of memory, and bytes of result."""

    seconds: float = 10.0
    memory: int = 4096 * MIB
    result: int = 64 * MIB


class Result(Struct, frozen=True):
    """A query's result, in the syntax that its media type names."""

    media_type: str
    content: bytes


class Repository:
    """Follows a broker's log. `start` and `stop` it on the event loop."""

    def __init__(self, folder: Path, broker: Broker, allowed: Allowed) -> None:
        self._broker = broker
        self._allowed = allowed
        self._process = RepositoryProcess(folder, allowed.memory)
        self._news = asyncio.Event()
        self._moved = asyncio.Condition()
        self._loop = asyncio.get_running_loop()
        self._tasks = Supervisor()
        # Adding and removing take turns: what was removed must not be added by somebody who read it before.
        self._changing = asyncio.Lock()
        self._floor = 0
        self._lot = _CHUNK
        self._failures = 0
        self.quarantined: dict[str, str] = {}
        self.trouble: str | None = None

    @property
    def position(self) -> int:
        """How far it has come."""
        return self._process.position

    async def start(self) -> None:
        """Begin to follow the log."""
        self._broker.events.followers.append(self._notice)
        self._tasks.start("repository", self._follow())

    async def stop(self) -> None:
        """End the process after what it is doing."""
        await self._tasks.stop()
        await self._process.end()

    async def query(self, text: str, media_type: str) -> Result:
        """Evaluate a query over everything that was acknowledged before it came."""
        tree = parse_query(text)
        check_evaluable(tree)
        printed = print_query(balanced(tree))
        if self.trouble is not None:
            raise StoreFailed(self.trouble)
        await self._reach(await self._broker.store.read(log.head))
        message = ("query", printed, media_type, self._allowed.result)
        try:
            kind, *content = await self._process.ask(message, self._allowed.seconds)
        finally:
            self._news.set()  # if the process had to be killed, it is behind
        if kind == "refused":
            raise InputError(content[0])
        return Result(*content)

    async def remove(self, graphs: Sequence[str], floor: int) -> None:
        """Forget events that retention is about to remove, all up to a position."""
        async with self._changing:
            self._floor = max(self._floor, floor)
            await self._process.ask(("remove", list(graphs)), _ADD_SECONDS)

    def _notice(self, records: Sequence[Record]) -> None:
        if records and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._news.set)

    async def _follow(self) -> None:
        try:
            while True:
                self._news.clear()
                if not await self._add_some():
                    await self._news.wait()
        except (StoreError, OSError, TimeoutError) as problem:
            self.trouble = str(problem)
            _log.error("the repository does not follow the log any more: %s", problem)

    async def _add_some(self) -> bool:
        """Add what follows; whether there was something."""
        async with self._changing:
            if not self._process.is_running:
                await self._process.start()
            after = max(self.position, self._floor)
            records = await self._broker.store.read(lambda tx: log.after(tx, after, self._lot))
            if records:
                await self._add(records)
        if records:
            async with self._moved:
                self._moved.notify_all()
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

    async def _reach(self, position: int) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_BEHIND_SECONDS), self._moved:
                await self._moved.wait_for(lambda: self.position >= position)


def is_graph_query(text: str) -> bool:
    """Whether a query's result is RDF."""
    return isinstance(parse_query(text), ast.ConstructQuery)
