"""One WebSocket of SEPA's protocol over the views of a node: a thin shell around a session.

Each subscription is an ephemeral view of the client that authenticated it. What views say waits in a backlog, and
becomes a frame when its turn to be sent has come. Frames of the client are read one after the other, and only while
little is in front of it.

Error handling: what cannot be done is answered with the alias, and the socket goes on. A client that reads too slowly,
or that nobody knows after a while, is left, with the reason. Whichever way it ends, all of its views end with it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Protocol

from msgspec import Struct

from triplewire.errors import TriplewireError
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.datasets import DatasetQuery, DescribeQuery
from triplewire.node.sepa.answers import Answer, Failure, read_view
from triplewire.node.sepa.backlog import MOST_BYTES, Backlog, Waiting
from triplewire.node.sepa.session import Close, Effect, Open, Send, Session
from triplewire.node.views.ephemeral import EphemeralView
from triplewire.node.views.service import Views
from triplewire.store.tables.identities import Client
from triplewire.wire.sepa import Refusal, Subscribe

_log = logging.getLogger(__name__)

POLICY = 1008
_BUG = Refusal("bug", 500, "a bug in Triplewire; the node's log has the reason")


class Connection(Protocol):
    """The client's end."""

    async def receive(self) -> str | bytes | None:
        """The next frame; None when it has left."""
        ...

    async def send(self, frame: str) -> None:
        """Returns when the next one may be sent. Raises `ConnectionError` when it has left."""
        ...


class Host(Struct, frozen=True):
    """What a socket needs of its node. `waiting` counts bytes by owner; `seconds` is how long anybody may be nobody."""

    views: Views
    holder: Callable[[str | None], Client]
    read: Callable[[Subscribe], DatasetQuery]
    refuse: Callable[[TriplewireError], Refusal]
    waiting: Counter[str]
    seconds: float


class Farewell(Struct, frozen=True):
    """Why this side leaves."""

    code: int
    reason: str


class Socket:
    """One client's. `credential` is what it showed when it connected, for subscriptions that show none."""

    def __init__(
        self, connection: Connection, host: Host, credential: str | None = None, most_bytes: int = MOST_BYTES
    ) -> None:
        self._connection = connection
        self._host = host
        self._credential = credential
        self._session = Session()
        self._backlog = Backlog(host.waiting, most_bytes)
        self._views: dict[str, EphemeralView] = {}
        self._is_known = False
        self._left: asyncio.Future[Farewell] = asyncio.get_running_loop().create_future()

    async def run(self) -> Farewell | None:
        """Converse until one side leaves; why this side does, if it does."""
        tasks = [asyncio.create_task(each) for each in (self._receive(), self._send())]
        either: list[asyncio.Future[Any]] = [*tasks, self._left]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
            self._end()
        for problem in ended:
            if isinstance(problem, Exception) and not isinstance(problem, ConnectionError):
                raise problem
        return self._left.result() if self._left.done() else None

    def _leave(self, reason: str) -> None:
        if not self._left.done():
            self._left.set_result(Farewell(POLICY, reason))

    def _end(self) -> None:
        self._session.closed()
        self._host.views.close(self._views.values())
        self._views.clear()
        self._backlog.clear()

    # From the client

    async def _receive(self) -> None:
        known_by = asyncio.get_running_loop().time() + self._host.seconds
        while True:
            await self._backlog.until_short()
            try:
                async with asyncio.timeout_at(None if self._is_known else known_by):
                    frame = await self._connection.receive()
            except TimeoutError:
                self._leave(f"wanted a subscription of a client within {self._host.seconds:g} s, found none")
                return
            if frame is None:
                return
            await self._do(self._session.received(frame))

    async def _do(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Open):
                await self._open(effect)
            elif isinstance(effect, Close):
                self._close(effect)
            else:
                self._put(Waiting(effect.frame))

    async def _open(self, asked: Open) -> None:
        spuid = asked.spuid
        try:
            view = await self._view(spuid, asked.request)
        except TriplewireError as problem:
            await self._refuse(spuid, self._host.refuse(problem))
        except Exception as bug:  # noqa: BLE001  the other subscriptions of the socket have nothing to do with it
            _log.error("a bug: %s", bug, exc_info=bug)
            await self._refuse(spuid, _BUG)
        else:
            self._views[spuid] = view
            if spuid not in self._session:
                # It has failed already.
                self._close(Close(spuid))

    async def _view(self, spuid: str, request: Subscribe) -> EphemeralView:
        client = self._host.holder(request.authorization or self._credential)
        self._is_known = True
        query = await asyncio.to_thread(self._host.read, request)
        return await self._host.views.open(client, query, partial(self._hear, spuid, client, _is_graph(query)))

    async def _refuse(self, spuid: str, refusal: Refusal) -> None:
        told = self._session.refused(spuid, refusal.error, refusal.status_code, refusal.error_description)
        await self._do(told)

    def _close(self, ended: Close) -> None:
        view = self._views.pop(ended.spuid, None)
        if view is not None:
            self._host.views.close([view])

    # To the client

    def _hear(self, spuid: str, client: Client, is_graph: bool, said: bytes) -> None:
        self._put(Waiting(said, spuid, client.id, is_graph), client.rights.quotas.outbox_bytes)

    def _put(self, item: Waiting, quota: int | None = None) -> None:
        if not self._backlog.put(item, quota):
            self._leave("too slow: more waits to be read than may")

    async def _send(self) -> None:
        while True:
            item = await self._backlog.first()
            for effect in self._effects(item):
                if isinstance(effect, Close):
                    self._close(effect)
                elif isinstance(effect, Send):
                    await self._connection.send(effect.frame)
            self._backlog.drop_first()

    def _effects(self, item: Waiting) -> list[Effect]:
        if isinstance(item.content, str):
            return [Send(item.content)]
        spuid = item.spuid or ""
        if spuid not in self._session:
            return []
        said = read_view(item.content, is_graph=item.is_graph)
        if isinstance(said, Failure):
            return self._session.failed(spuid, "view_failed", 503, said.reason)
        if isinstance(said, Answer):
            return self._session.answered(spuid, said.results)
        return self._session.changed(spuid, said.added, said.removed)


def _is_graph(query: DatasetQuery) -> bool:
    return isinstance(query.query, ast.ConstructQuery | DescribeQuery)
