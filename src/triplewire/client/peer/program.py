"""A peer's program on an event loop: it runs the state machine `Peer`, and saves what arrives in its folder.

Everything is acknowledged after it is on disk. A connection that breaks is opened again; `subscribe` and the others
wait for their answer until then, or until the timeout. If the home has a repository, it takes part in rules across
super-peers while the program runs.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

from msgspec import Struct

from triplewire.client.peer.folder import Folder, Gap, Saved
from triplewire.client.peer.home_repository import HomeRepository
from triplewire.client.peer.inbox import Inbox
from triplewire.client.peer.notification_writer import Incoming, NotificationWriter
from triplewire.client.peer.pending_answers import PendingAnswers
from triplewire.client.peer.rules import PeerRules
from triplewire.client.peer.sockets import PeerSockets
from triplewire.errors import NodeUnreachable, SessionRefused
from triplewire.network.sessions import peer_messages
from triplewire.network.sessions.peer import effects as do
from triplewire.network.sessions.peer.connections import ConnectionTimings
from triplewire.network.sessions.peer.peer import Peer
from triplewire.network.sessions.peer.saved_state import AccessPointInfo, ResourceRequest, SavedPeer, SubscriptionQuery
from triplewire.network.sessions.rule_data import check_size
from triplewire.system.supervisor import Supervisor
from triplewire.wire import peer_requests

_TICK_SECONDS = 0.2
_FILE_BYTES = 1 << 20
_MOST_UNREAD = 10_000
A = TypeVar("A", bound=Struct)
Arrival = Saved | Gap | peer_messages.Resource
Call = Callable[[Peer, float], list[do.Effect]]


class PeerProgram:
    """Made on an event loop. `async with` connects it; at the end of the block it goes off-line."""

    def __init__(self, folder: Folder, *, seconds: float = 30.0, timings: ConnectionTimings | None = None) -> None:
        self.folder = folder
        self._seconds = seconds
        self._keys = folder.keys()
        self._peer = Peer(self._keys, folder.saved_state(), secrets.token_bytes, timings)
        self._pending = PendingAnswers(seconds, self._unreachable)
        self._arrivals: asyncio.Queue[Arrival] = asyncio.Queue()
        self._todo: deque[do.Effect] = deque()
        self._is_doing = False
        self._sockets: PeerSockets | None = None
        self._writer = NotificationWriter(folder, self._acknowledge_saved, self._pending.disk_failed)
        self._tasks = Supervisor()
        self.rules: PeerRules | None = None
        self.refusal: SessionRefused | None = None

    @property
    def id(self) -> str:
        """The public identifier."""
        return self._peer.id

    @property
    def saved_state(self) -> SavedPeer:
        return self._peer.saved_state

    @property
    def is_online(self) -> bool:
        return self._peer.is_online

    async def __aenter__(self) -> Self:
        self.folder.__enter__()
        try:
            self.rules = await self._open_repository()
        except BaseException:
            self.folder.__exit__(None, None, None)
            raise
        self._sockets = PeerSockets(self._keys, self._received)
        self._act(lambda peer, now: peer.start(now))
        for name, work in (("ticking", self._tick()), ("saving", self._writer.run())):
            self._tasks.start(f"peer {name}", work)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._tasks.stop()
        self._act(lambda peer, now: peer.stop(now))
        rules, self.rules = self.rules, None
        if rules is not None:
            await rules.close()
        if self._sockets is not None:
            await self._sockets.close()
        self.folder.__exit__(kind, error, trace)

    # Calls

    async def connected(self) -> None:
        """Wait until the session with the access point has begun."""
        await self._pending.until(lambda: self.is_online)

    async def moved(self) -> None:
        """Wait until every previous access point is drained and has released this peer."""
        await self._pending.until(lambda: not self.saved_state.previous and self.saved_state.since is None)

    async def move(self, access_point: AccessPointInfo) -> None:
        """Move to another access point, and wait until the migration is complete."""
        self._act(lambda peer, now: peer.move(now, access_point))
        await self.connected()
        await self.moved()

    async def subscribe(self, name: str, language: str, text: str) -> None:
        await self._request(
            lambda peer, now, token: peer.subscribe(now, token, name, SubscriptionQuery(language, text))
        )

    async def unsubscribe(self, name: str) -> None:
        await self._request(lambda peer, now, token: peer.unsubscribe(now, token, name))

    async def advertise(self, rdf: str | None) -> None:
        """Advertise what this peer will publish, as a registration message in RDF; None withdraws it."""
        await self._request(lambda peer, now, token: peer.register(now, token, rdf))

    async def publish(self, nquads: bytes) -> tuple[peer_messages.Receipt, ...]:
        """Publish events; they are on the disk of the access point when this returns."""
        message = await self._request(lambda peer, now, token: peer.publish(now, token, nquads))
        return message.receipts if isinstance(message, peer_messages.EventsAccepted) else ()

    async def locate(self, owner: str, access_point: str) -> peer_messages.Located:
        """The location of the owner of a resource."""
        message = await self._request(lambda peer, now, token: peer.locate(now, token, owner, access_point))
        assert isinstance(message, peer_messages.Located)
        return message

    async def request(self, resource: ResourceRequest) -> str:
        """Request a resource; it comes when its owner is on-line. Returns the identifier of the rendezvous."""
        tokens: list[str] = []

        def call(peer: Peer, now: float, token: str) -> list[do.Effect]:
            tokens.append(token)
            return peer.request(now, token, resource)

        await self._request(call)
        return tokens[0]

    async def reported(self, serial: int) -> None:
        """Wait until the super-peer has what the repository has told it up to a serial, or refuses the peer."""
        assert self.rules is not None, "only a home with a repository tells anything"
        await self._pending.in_time(self.rules.received(serial))

    async def ask(self, request: peer_requests.PeerRequest, answer: type[A]) -> A:
        """Ask the super-peer something about rules. The answer is of the type that belongs to the request."""
        body = peer_requests.encode(request)
        message = await self._request(lambda peer, now, token: peer.ask_rules(now, token, body))
        assert isinstance(message, peer_messages.RuleAnswer)
        return peer_requests.decode_answer(message.body, answer)

    async def arrivals(self) -> AsyncIterator[Arrival]:
        """Notifications, rendezvous files and gaps, after they were saved. No repeats."""
        while True:
            yield await self._pending.first_of(self._arrivals.get())

    async def notifications(self) -> AsyncIterator[Saved]:
        """Notifications only."""
        async for found in self.arrivals():
            if isinstance(found, Saved):
                yield found

    # Requests

    async def _request(self, call: Callable[[Peer, float, str], list[do.Effect]]) -> peer_messages.AccessPointMessage:
        return await self._pending.request(lambda token: self._act(lambda peer, now: call(peer, now, token)))

    def _unreachable(self) -> NodeUnreachable:
        access_point = self.saved_state.at.address
        why = "" if self.refusal is None else f"; it refused: {self.refusal}"
        return NodeUnreachable(wanted=f"an answer of {access_point} within {self._seconds:g} s", found=f"none{why}")

    # Running the state machine

    def _received(self, connection: str, data: bytes) -> None:
        self._act(lambda peer, now: peer.receive(now, connection, data))

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            self._act(lambda peer, now: peer.tick(now))
            if self.rules is not None:
                self.rules.look_into_inbox()
                if self.is_online:
                    self.rules.tick(time.monotonic())

    def _act(self, call: Call) -> None:
        """Call the state machine, and do its effects in order, also those that doing them causes."""
        if self._pending.has_failed:
            return
        self._todo.extend(call(self._peer, time.monotonic()))
        if self._is_doing:
            return
        self._is_doing = True
        try:
            while self._todo:
                self._do(self._todo.popleft())
        except OSError as refusal:
            # What cannot be saved must not be acknowledged.
            self._pending.disk_failed(refusal)
        finally:
            self._is_doing = False

    def _do(self, effect: do.Effect) -> None:
        match effect:
            case do.SaveState():
                self.folder.save(effect.saved)
            case do.RequestAnswered():
                self._pending.answer(effect.token, effect.message)
            case do.Rejected():
                self.refusal = effect.problem
            case do.Connect() | do.Disconnect() | do.SendBytes():
                self._do_socket(effect)
            case do.SessionBegun() | do.RulesReceived() | do.RulesNotTaken():
                self._do_rules(effect)
            case _:
                self._save_arrival(effect)

    def _do_socket(self, effect: do.Connect | do.Disconnect | do.SendBytes) -> None:
        if self._sockets is None:
            return
        match effect:
            case do.Connect():
                self._sockets.connect(effect.connection, effect.access_point)
            case do.Disconnect():
                self._sockets.disconnect(effect.connection)
            case do.SendBytes():
                self._sockets.send(effect.connection, effect.data)

    def _do_rules(self, effect: do.SessionBegun | do.RulesReceived | do.RulesNotTaken) -> None:
        if self.rules is None:
            return
        match effect:
            case do.SessionBegun():
                self.rules.session_begun(time.monotonic(), effect.super_peer)
            case do.RulesReceived():
                self.rules.take(effect.body)
            case do.RulesNotTaken():
                self.rules.not_taken(effect.wanted, effect.found)

    async def _open_repository(self) -> PeerRules | None:
        """The repository of the home, if it has one."""
        path = self.folder.repository
        if not path.exists():
            return None
        repository = await asyncio.to_thread(HomeRepository, path, self.id)
        return PeerRules(repository, Inbox(self.folder.inbox), self._tell_rules, self._pending.disk_failed)

    def _tell_rules(self, body: bytes) -> None:
        check_size(body)
        self._act(lambda peer, now: peer.tell_rules(now, body))

    def _save_arrival(self, effect: do.Effect) -> None:
        match effect:
            case do.NotificationReceived() | do.NotificationsLost():
                self._writer.add(effect)
            case do.FileReceived():
                self.folder.receive(effect.message)
                self._queue_arrival(effect.message)
                self._act(lambda peer, now: peer.file_saved(now, effect.connection, effect.message))
            case do.UploadNeeded():
                content, refusal = self.folder.resource(effect.message.location, _FILE_BYTES)
                self._act(lambda peer, now: peer.upload(now, effect.connection, effect.message, content, refusal))

    def _acknowledge_saved(self, found: Sequence[tuple[Incoming, Saved | Gap | None]]) -> None:
        for _, saved in found:
            if saved is not None:
                self._queue_arrival(saved)
        # Acknowledging the last of each flow covers those before it.
        last = {(one.connection, one.message.name, one.message.flow): one for one, _ in found}
        for one in last.values():
            self._act(partial(_acknowledge, one))

    def _queue_arrival(self, arrival: Arrival) -> None:
        # Reading is optional; what is dropped is in the folder.
        if self._arrivals.qsize() >= _MOST_UNREAD:
            self._arrivals.get_nowait()
        self._arrivals.put_nowait(arrival)


def _acknowledge(one: Incoming, peer: Peer, now: float) -> list[do.Effect]:
    if isinstance(one, do.NotificationsLost):
        return peer.loss_saved(now, one.connection, one.message)
    return peer.notification_saved(now, one.connection, one.message)
