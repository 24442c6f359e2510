"""A node as an access point: it runs the state machine `AccessPoint`, and does its effects.

Its inputs: bytes from peers (`peer_socket`), messages from other access points (the overlay's relays), new
notifications (`outbox_watches`), outcomes of the store (`storage`, in `serial_tasks`), and time.

Resource handling: while much waits for the store, nothing more is read from peers.

Error handling: a fault in the state machine costs the message that it happened in; it is logged with its traceback.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable
from typing import Protocol

from triplewire.errors import DiskFull, NetworkError, QuotaExceeded, TriplewireError
from triplewire.federation.codec import is_about_rules
from triplewire.network.sessions.access_point import effects as do
from triplewire.network.sessions.access_point.access_point import AccessPoint
from triplewire.network.sessions.access_point.records import AccessPointSettings, SavedAccessPoint
from triplewire.network.sessions.identity import key_text, public_identifier, public_key_of
from triplewire.node.access.invitations import Invitations
from triplewire.node.access_point.outbox_watches import OutboxWatches
from triplewire.node.access_point.peer_socket import PeerSocket, holds
from triplewire.node.access_point.records import SessionRecords, Work
from triplewire.node.access_point.serial_tasks import SerialTasks
from triplewire.node.access_point.storage import AccessPointHost, AccessPointStorage, PeerNetwork
from triplewire.node.transport.rate_limited_log import RateLimitedLog
from triplewire.rdf.limits import Limits
from triplewire.system.supervisor import Supervisor

_log = logging.getLogger(__name__)

_TICK_SECONDS = 1.0
_BUSY = 2_000
Call = Callable[[AccessPoint, float], Iterable[do.Effect]]


class OverlayNetwork(PeerNetwork, Protocol):
    """What an access point needs of the overlay."""

    id: str
    relay_listeners: list[Callable[[str, bytes], None]]

    def relay(self, to: str, body: bytes) -> None: ...


class AccessPointService:
    """Open it on an event loop with `await AccessPointService.open(…)`, `begin`, and `stop` it before the overlay."""

    def __init__(
        self,
        host: AccessPointHost,
        private_key: bytes,
        saved: SavedAccessPoint,
        settings: AccessPointSettings,
        limits: Limits,
        net: OverlayNetwork | None,
        invitations: Invitations | None,
    ):
        self.key = key_text(public_key_of(private_key))
        self._host = host
        self._network = net
        name = public_identifier(public_key_of(private_key)) if net is None else net.id
        invited = None if invitations is None else invitations.invites
        self._machine = AccessPoint(
            private_key, secrets.token_bytes, settings, saved, id=name, guard=_guard, invited=invited
        )
        self._storage = AccessPointStorage(name, host, SessionRecords(host.broker), limits, net)
        self._socket = PeerSocket(private_key, max(limits.document_bytes, settings.file_bytes))
        self._serial_tasks = SerialTasks(self._is_busy)
        self._watches = OutboxWatches(host.broker, self._notifications_available)
        self._tasks = Supervisor()
        self._limited_log = RateLimitedLog(_log)

    @classmethod
    async def open(
        cls,
        host: AccessPointHost,
        private_key: bytes,
        address: str,
        limits: Limits,
        network: OverlayNetwork | None,
        settings: AccessPointSettings,
        invitations: Invitations | None = None,
    ) -> AccessPointService:
        """Load what was saved, and listen."""
        saved = await SessionRecords(host.broker).saved_state()
        peers = cls(host, private_key, saved, settings, limits, network, invitations)
        try:
            peers._socket.listen(address)
        except BaseException:
            await peers._socket.stop()
            raise
        return peers

    @property
    def address(self) -> str:
        return self._socket.address

    @property
    def machine(self) -> AccessPoint:
        """The state machine, to read it."""
        return self._machine

    # Start and stop

    def begin(self) -> None:
        """Start to accept peers."""
        if self._network is not None:
            self._network.relay_listeners.append(self._relayed)
        self._act(lambda machine, now: machine.start(now))
        self._socket.start(self._received)
        self._tasks.start("peers ticking", self._tick())
        _log.info("listening for peers at %s, with the key %s", self.address, self.key)

    async def stop(self) -> None:
        """Stop. Pending notifications are sent in the next session of a peer."""
        if self._network is not None and self._relayed in self._network.relay_listeners:
            self._network.relay_listeners.remove(self._relayed)
        await self._tasks.stop()
        await self._socket.stop()
        await self._watches.stop()
        await self._serial_tasks.stop()

    def expel(self, peer: str) -> None:
        """Forget the peer of a client that was removed."""
        if peer in self._machine.peers:
            self._act(lambda machine, now: machine.expel(now, peer))

    # Inputs

    def _received(self, connection: str, data: bytes) -> None:
        self._act(lambda machine, now: machine.receive(now, connection, data))

    def _relayed(self, sender: str, body: bytes) -> None:
        if is_about_rules(body):
            # That is for the federation.
            return
        self._act(lambda machine, now: machine.relayed(now, sender, body))

    def _notifications_available(self, peer: str, name: str) -> None:
        self._act(lambda machine, now: machine.notifications_available(now, peer, name))

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            self._act(lambda machine, now: machine.tick(now))

    def _act(self, call: Call) -> None:
        try:
            self._do(call(self._machine, self._host.broker.date.time()))
        except Exception as bug:  # noqa: BLE001  whatever one message did, the next is to be taken
            self._limited_log.error("bug", "a bug in the access point: %s: %s", type(bug).__name__, bug, exc_info=bug)

    # Effects

    def _do(self, effects: Iterable[do.Effect]) -> None:
        for effect in effects:
            match effect:
                case do.SendToPeer():
                    self._send(effect)
                case do.SendToAccessPoint():
                    if self._network is not None:
                        self._network.relay(effect.to, effect.body)
                case do.Watch():
                    self._watches.begin(effect.peer)
                case do.Unwatch():
                    self._watches.end(effect.peer)
                case do.StoreEvents():
                    self._serial_tasks.add(f"{effect.peer}/", lambda one=effect: self._publish(one))  # type: ignore[misc]
                case _:
                    queue, work = self._storage.work_of(effect)
                    self._serial_tasks.add(queue, lambda one=effect, work=work: self._keep(one, work))  # type: ignore[misc]

    def _send(self, effect: do.SendToPeer) -> None:
        if not self._socket.send(effect.connection, effect.data):
            # Not now: the caller is in the middle of a list of effects.
            connection = effect.connection
            disconnected = lambda machine, now: machine.disconnected(now, connection)  # noqa: E731
            asyncio.get_running_loop().call_soon(self._act, disconnected)

    async def _keep(self, effect: do.Effect, work: Work) -> None:
        outcome = await _outcome(work)
        if isinstance(effect, do.AddSubscription):
            self._watches.renew(effect.peer)
        ticket = getattr(effect, "ticket", None)
        if ticket is not None:
            self._act(lambda machine, now: machine.done(now, ticket, outcome))

    async def _publish(self, effect: do.StoreEvents) -> None:
        """Parse events in order; they are stored concurrently with parsing the next."""
        try:
            storing = await self._storage.parsed(effect)
        except (TriplewireError, OSError) as problem:
            failed = _failed(problem)
            self._act(lambda machine, now: machine.done(now, effect.ticket, failed))
            return
        self._serial_tasks.run_concurrently(self._keep(effect, storing))

    def _is_busy(self, count: int) -> None:
        if count > _BUSY:
            self._socket.pause()
        else:
            self._socket.resume()


def _guard(connection: str, public_key: bytes) -> str:
    """A connection is valid for the key that CURVE has verified, and for no other."""
    return "" if holds(connection, public_key) else "a connection under another key"


async def _outcome(work: Work) -> do.Outcome:
    try:
        return await work()
    except (TriplewireError, OSError) as problem:
        return _failed(problem)


def _failed(problem: TriplewireError | OSError) -> do.Failed:
    """What was wanted and what was found; the whole sentence where the error has more to say.

    >>> _failed(TriplewireError(wanted="a query", found="none"))
    Failed(wanted='a query', found='none', again=False)
    """
    again = isinstance(problem, NetworkError | QuotaExceeded | DiskFull)
    if isinstance(problem, OSError) or problem.wanted is None or problem.found is None:
        return do.Failed("it to be done", str(problem), again)
    if problem.summary or problem.subject or problem.place or problem.hint:
        return do.Failed("it to be done", str(problem), again)
    return do.Failed(problem.wanted, problem.found, again)
