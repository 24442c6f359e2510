"""Peers: a node as an access point. It drives the pure `AccessPoint`, and does what that wants done.

What comes in: bytes from peers (`peers_socket`), words of other access points (the overlay's relays), what is new for
their subscriptions (`peers_watching`), outcomes of the store (`peers_keeping`, in `peers_lanes`), and time.

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
from triplewire.network.sessions.access_point import effects as do
from triplewire.network.sessions.access_point.access_point import AccessPoint
from triplewire.network.sessions.access_point.records import AccessPointSettings, SavedAccessPoint
from triplewire.network.sessions.identity import key_text, public_identifier, public_key_of
from triplewire.node.access_point.invitations import Invitations
from triplewire.node.access_point.outbox_watches import Watching
from triplewire.node.access_point.peer_socket import PeersSocket, holds
from triplewire.node.access_point.records import Records, Work
from triplewire.node.access_point.serial_tasks import Lanes
from triplewire.node.access_point.storage import Hosts, Keeping, Network
from triplewire.node.transport.rate_limited_log import Seldom
from triplewire.rdf.limits import Limits
from triplewire.system.supervisor import Supervisor

_log = logging.getLogger(__name__)

_TICK_SECONDS = 1.0
_BUSY = 2_000
Call = Callable[[AccessPoint, float], Iterable[do.Effect]]


class Overlaid(Network, Protocol):
    """The network, as the overlay gives it to access points."""

    id: str
    relays: list[Callable[[str, bytes], None]]

    def relay(self, to: str, body: bytes) -> None: ...


class Peers:
    """Open it on an event loop with `await Peers.open(…)`, `begin`, and `stop` it, before the overlay."""

    def __init__(
        self,
        host: Hosts,
        private_key: bytes,
        memory: SavedAccessPoint,
        settings: AccessPointSettings,
        limits: Limits,
        net: Overlaid | None,
        invitations: Invitations | None,
    ):
        self.key = key_text(public_key_of(private_key))
        self._host = host
        self._network = net
        name = public_identifier(public_key_of(private_key)) if net is None else net.id
        invited = None if invitations is None else invitations.invites
        self._machine = AccessPoint(
            private_key, secrets.token_bytes, settings, memory, id=name, guard=_guard, invited=invited
        )
        self._keeping = Keeping(name, host, Records(host.broker), limits, net)
        self._socket = PeersSocket(private_key, max(limits.document_bytes, settings.file_bytes))
        self._lanes = Lanes(self._is_busy)
        self._watching = Watching(host.broker, self._notifications_available)
        self._tasks = Supervisor()
        self._seldom = Seldom(_log)

    @classmethod
    async def open(
        cls,
        host: Hosts,
        private_key: bytes,
        address: str,
        limits: Limits,
        network: Overlaid | None,
        settings: AccessPointSettings,
        invitations: Invitations | None = None,
    ) -> Peers:
        """Take up what was kept, and listen."""
        memory = await Records(host.broker).memory()
        peers = cls(host, private_key, memory, settings, limits, network, invitations)
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
        """To look at."""
        return self._machine

    # Coming and going

    def begin(self) -> None:
        """Let peers in."""
        if self._network is not None:
            self._network.relays.append(self._relayed)
        self._act(lambda machine, now: machine.start(now))
        self._socket.start(self._received)
        self._tasks.start("peers ticking", self._tick())
        _log.info("peers come in at %s, with the key %s", self.address, self.key)

    async def stop(self) -> None:
        """Let go. What peers were not told, they are told when they come again."""
        if self._network is not None and self._relayed in self._network.relays:
            self._network.relays.remove(self._relayed)
        await self._tasks.stop()
        await self._socket.stop()
        await self._watching.stop()
        await self._lanes.stop()

    def expel(self, peer: str) -> None:
        """A client of the node was removed: it is no peer any more either."""
        if peer in self._machine.peers:
            self._act(lambda machine, now: machine.expel(now, peer))

    # What comes in

    def _received(self, connection: str, data: bytes) -> None:
        self._act(lambda machine, now: machine.receive(now, connection, data))

    def _relayed(self, sender: str, body: bytes) -> None:
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
            self._seldom.error("bug", "a bug in the access point: %s: %s", type(bug).__name__, bug, exc_info=bug)

    # What is to be done

    def _do(self, effects: Iterable[do.Effect]) -> None:
        for effect in effects:
            match effect:
                case do.SendToPeer():
                    self._tell(effect)
                case do.SendToAccessPoint():
                    if self._network is not None:
                        self._network.relay(effect.to, effect.body)
                case do.Watch():
                    self._watching.begin(effect.peer)
                case do.Unwatch():
                    self._watching.end(effect.peer)
                case do.StoreEvents():
                    self._lanes.add(f"{effect.peer}/", lambda one=effect: self._publish(one))  # type: ignore[misc]
                case _:
                    lane, work = self._keeping.work_of(effect)
                    self._lanes.add(lane, lambda one=effect, work=work: self._keep(one, work))  # type: ignore[misc]

    def _tell(self, effect: do.SendToPeer) -> None:
        if not self._socket.send(effect.connection, effect.data):
            # Not now: whoever tells this is in the middle of something.
            connection = effect.connection
            gone = lambda machine, now: machine.disconnected(now, connection)  # noqa: E731
            asyncio.get_running_loop().call_soon(self._act, gone)

    async def _keep(self, effect: do.Effect, work: Work) -> None:
        outcome = await _outcome(work)
        if isinstance(effect, do.AddSubscription):
            self._watching.renew(effect.peer)
        ticket = getattr(effect, "ticket", None)
        if ticket is not None:
            self._act(lambda machine, now: machine.done(now, ticket, outcome))

    async def _publish(self, effect: do.StoreEvents) -> None:
        """Read the events in order; storing them does not keep the next from being read."""
        try:
            storing = await self._keeping.parsed(effect)
        except (TriplewireError, OSError) as problem:
            failed = _failed(problem)
            self._act(lambda machine, now: machine.done(now, effect.ticket, failed))
            return
        self._lanes.alongside(self._keep(effect, storing))

    def _is_busy(self, count: int) -> None:
        if count > _BUSY:
            self._socket.pause()
        else:
            self._socket.resume()


def _guard(connection: str, public_key: bytes) -> str:
    """A connection is good for the key that CURVE has proven, and for no other."""
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
