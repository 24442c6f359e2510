"""A peer's program on an event loop: it drives the pure `Peer`, and keeps what comes in its folder.

Everything is acknowledged after it is on the disk. The connection is made again whenever it breaks; `subscribe` and the
others wait for their answer until then, or until their time is up.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from types import TracebackType
from typing import Self

from triplewire.client.peer.connections import Connections
from triplewire.client.peer.folder import Folder, Gap, Saved
from triplewire.client.peer.notification_writer import Coming, Saving
from triplewire.client.peer.waits import Waiting
from triplewire.errors import NodeUnreachable, SessionRefused
from triplewire.network.sessions import peer_messages
from triplewire.network.sessions.peer import effects as do
from triplewire.network.sessions.peer.connections import Manner
from triplewire.network.sessions.peer.memory import Asked, Home, Place, Query
from triplewire.network.sessions.peer.peer import Peer
from triplewire.system.supervisor import Supervisor

_TICK_SECONDS = 0.2
_FILE_BYTES = 1 << 20
_MOST_UNREAD = 10_000
Arrival = Saved | Gap | peer_messages.Resource
Call = Callable[[Peer, float], list[do.Effect]]


class PeerProgram:
    """Made on an event loop. `async with` connects it; leaving that is going off-line."""

    def __init__(self, folder: Folder, *, seconds: float = 30.0, manner: Manner | None = None) -> None:
        self.folder = folder
        self._seconds = seconds
        self._keys = folder.keys()
        self._peer = Peer(self._keys, folder.home(), secrets.token_bytes, manner)
        self._waiting = Waiting(seconds, self._unreachable)
        self._news: asyncio.Queue[Arrival] = asyncio.Queue()
        self._todo: deque[do.Effect] = deque()
        self._is_doing = False
        self._connections: Connections | None = None
        self._saving = Saving(folder, self._saved, self._waiting.fail)
        self._tasks = Supervisor()
        self.problem: SessionRefused | None = None

    @property
    def id(self) -> str:
        """The public identifier."""
        return self._peer.id

    @property
    def home(self) -> Home:
        return self._peer.home

    @property
    def is_online(self) -> bool:
        return self._peer.is_online

    async def __aenter__(self) -> Self:
        self.folder.__enter__()
        self._connections = Connections(self._keys, self._received)
        self._act(lambda peer, now: peer.start(now))
        for name, work in (("ticking", self._tick()), ("saving", self._saving.run())):
            self._tasks.start(f"peer {name}", work)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._tasks.stop()
        self._act(lambda peer, now: peer.stop(now))
        if self._connections is not None:
            await self._connections.close()
        self.folder.__exit__(kind, error, trace)

    # What a peer does

    async def connected(self) -> None:
        """Wait until the access point has let this peer in."""
        await self._waiting.until(lambda: self.is_online)

    async def moved(self) -> None:
        """Wait until everything that a previous access point has is here, and it has let go."""
        await self._waiting.until(lambda: not self.home.previous and self.home.since is None)

    async def move(self, place: Place) -> None:
        """Go to another access point, and wait until all has been taken along."""
        self._act(lambda peer, now: peer.move(now, place))
        await self.connected()
        await self.moved()

    async def subscribe(self, name: str, language: str, text: str) -> None:
        await self._asked(lambda peer, now, token: peer.subscribe(now, token, name, Query(language, text)))

    async def unsubscribe(self, name: str) -> None:
        await self._asked(lambda peer, now, token: peer.unsubscribe(now, token, name))

    async def advertise(self, rdf: str | None) -> None:
        """Say what this peer will publish, as a registration message in RDF; None is nothing any more."""
        await self._asked(lambda peer, now, token: peer.register(now, token, rdf))

    async def publish(self, nquads: bytes) -> tuple[peer_messages.Receipt, ...]:
        """Publish events; they are on the disk of the access point when this returns."""
        word = await self._asked(lambda peer, now, token: peer.publish(now, token, nquads))
        return word.receipts if isinstance(word, peer_messages.Accepted) else ()

    async def locate(self, owner: str, access_point: str) -> peer_messages.Located:
        """Where the owner of a resource is."""
        word = await self._asked(lambda peer, now, token: peer.locate(now, token, owner, access_point))
        assert isinstance(word, peer_messages.Located)
        return word

    async def request(self, asked: Asked) -> str:
        """Ask for a resource; it comes when its owner is there. Returns the identifier of the rendezvous."""
        tokens: list[str] = []

        def call(peer: Peer, now: float, token: str) -> list[do.Effect]:
            tokens.append(token)
            return peer.request(now, token, asked)

        await self._asked(call)
        return tokens[0]

    async def arrivals(self) -> AsyncIterator[Arrival]:
        """Notifications, rendezvous files, and what was lost, as they come, after they were saved. No repeats."""
        while True:
            yield await self._waiting.soon(self._news.get())

    async def notifications(self) -> AsyncIterator[Saved]:
        """Notifications only."""
        async for found in self.arrivals():
            if isinstance(found, Saved):
                yield found

    # Asking

    async def _asked(self, call: Callable[[Peer, float, str], list[do.Effect]]) -> peer_messages.Told:
        return await self._waiting.asked(lambda token: self._act(lambda peer, now: call(peer, now, token)))

    def _unreachable(self) -> NodeUnreachable:
        place = self.home.at.address
        why = "" if self.problem is None else f"; it refused: {self.problem}"
        return NodeUnreachable(wanted=f"an answer of {place} within {self._seconds:g} s", found=f"none{why}")

    # Driving the state machine

    def _received(self, line: str, data: bytes) -> None:
        self._act(lambda peer, now: peer.receive(now, line, data))

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            self._act(lambda peer, now: peer.tick(now))

    def _act(self, call: Call) -> None:
        """Call the state machine. What it wants done is done in that order, also where doing it is cause for more."""
        if self._waiting.is_over:
            return
        self._todo.extend(call(self._peer, time.monotonic()))
        if self._is_doing:
            return
        self._is_doing = True
        try:
            while self._todo:
                self._do(self._todo.popleft())
        except OSError as problem:
            # What cannot be saved must not be acknowledged.
            self._waiting.fail(problem)
        finally:
            self._is_doing = False

    def _do(self, effect: do.Effect) -> None:
        match effect:
            case do.Save():
                self.folder.save(effect.home)
            case do.Answered():
                self._waiting.answer(effect.token, effect.word)
            case do.Turned():
                self.problem = effect.problem
            case do.Dial() | do.HangUp() | do.Send():
                self._connect(effect)
            case _:
                self._arrived(effect)

    def _connect(self, effect: do.Dial | do.HangUp | do.Send) -> None:
        if self._connections is None:
            return
        match effect:
            case do.Dial():
                self._connections.dial(effect.line, effect.place)
            case do.HangUp():
                self._connections.hang_up(effect.line)
            case do.Send():
                self._connections.send(effect.line, effect.data)

    def _arrived(self, effect: do.Effect) -> None:
        match effect:
            case do.Arrived() | do.Lapsed():
                self._saving.add(effect)
            case do.Got():
                self.folder.receive(effect.word)
                self._tell(effect.word)
                self._act(lambda peer, now: peer.kept(now, effect.line, effect.word))
            case do.UploadWanted():
                content, problem = self.folder.resource(effect.word.location, _FILE_BYTES)
                self._act(lambda peer, now: peer.upload(now, effect.line, effect.word, content, problem))

    def _saved(self, found: Sequence[tuple[Coming, Saved | Gap | None]]) -> None:
        for _, saved in found:
            if saved is not None:
                self._tell(saved)
        # The last of each flow stands for those before it.
        last = {(one.line, one.word.name, one.word.flow): one for one, _ in found}
        for one in last.values():
            self._act(partial(_acknowledged, one))

    def _tell(self, arrival: Arrival) -> None:
        # Nobody need read this; what is dropped is in the folder.
        if self._news.qsize() >= _MOST_UNREAD:
            self._news.get_nowait()
        self._news.put_nowait(arrival)


def _acknowledged(one: Coming, peer: Peer, now: float) -> list[do.Effect]:
    if isinstance(one, do.Lapsed):
        return peer.noted(now, one.line, one.word)
    return peer.saved(now, one.line, one.word)
