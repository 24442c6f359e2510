"""The overlay: a node as a super-peer. It runs the state machine `SuperPeer`, and does its effects.

The super-peer is only called on the event loop, one call after the other. Its inputs:

    transport    packets of other super-peers, identified by the key of their connection
    the broker   subscriptions, and events that were published here, after their commit (`local_changes`); rules that
                 listen to events (`rule_subscriptions`)
    clients      advertisements (`broker.advertisements`, `derived_advertisements`)
    time         five times a second

Its effects: packets; events to be stored (`inbound_events`); parts of the log to be read (`log_replay`); messages
between access points and broadcasts, for `relay_listeners` and `broadcast_listeners`. `member_listeners` hear that the
table of members has changed. Its state is saved by `state_storage`.

Error handling: a fault in the super-peer costs the call that it happened in; it is logged with its traceback.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from random import Random, SystemRandom

from msgspec import Struct

from triplewire.errors import DiskFull, JoinFailed, NetworkError, StoreError
from triplewire.network.effects import Accept, BroadcastReceived, Effect, RelayReceived, Replay, SendPacket
from triplewire.network.messages import Description, Packet, Publication
from triplewire.network.routing.subscriptions.event_matching import CompiledMatcher
from triplewire.network.routing.subscriptions.reasoner import AlgebraReasoner
from triplewire.network.saved_state import SavedSuperPeer
from triplewire.network.superpeer import SuperPeer
from triplewire.network.timings import Timings
from triplewire.node.broker.advertisements import Advertisements
from triplewire.node.broker.broker import Broker
from triplewire.node.overlay.inbound_events import InboundEvents
from triplewire.node.overlay.local_changes import LocalChanges
from triplewire.node.overlay.log_replay import LogReplay
from triplewire.node.overlay.rule_subscriptions import RuleSubscriptions
from triplewire.node.overlay.state_storage import SavedStateStorage
from triplewire.node.overlay.super_peer_clock import SuperPeerClock
from triplewire.node.overlay.traffic_counters import TrafficCounters
from triplewire.node.transport.backbone import Transport
from triplewire.node.transport.join_diagnosis import diagnose
from triplewire.node.transport.keys import KeyPair, NetworkKey
from triplewire.node.transport.rate_limited_log import RateLimitedLog
from triplewire.system.supervisor import Supervisor

_log = logging.getLogger(__name__)

_TICK_SECONDS = 0.2
_SAVE_SECONDS = 1.0
_LOOK_SECONDS = 0.05
_FLUSH_SECONDS = 2.0
Call = Callable[[SuperPeer, float], Iterable[Effect]]


class OverlaySettings(Struct, frozen=True, kw_only=True):
    """How a node takes part in a network.

    `seeds` are where it joins: none to found a network, or to resume the saved one. Without an address it takes a free
    port of `host`, and the same again after a restart.
    """

    key: NetworkKey
    address: str | None = None
    host: str = "127.0.0.1"
    seeds: tuple[str, ...] = ()
    join_seconds: float = 30.0
    timings: Timings = Timings()


class Overlay:
    """Open it on an event loop with `await Overlay.open(…)`, `begin`, and `stop` it."""

    def __init__(self, broker: Broker, advertisements: Advertisements, settings: OverlaySettings, own: KeyPair) -> None:
        self.id = own.member
        self.settings = settings
        self.counters = TrafficCounters()
        self.relay_listeners: list[Callable[[str, bytes], None]] = []
        self.broadcast_listeners: list[Callable[[BroadcastReceived], None]] = []
        self.member_listeners: list[Callable[[], None]] = []
        self.transport = Transport(settings.key, own)
        self._own = own
        self._broker = broker
        self._advertisements = advertisements
        self._local_changes = LocalChanges(broker, advertisements, self.id, self.act)
        self._rule_subscriptions = RuleSubscriptions(broker, self.act)
        self._inbound_events = InboundEvents(broker, self.counters.events, self.transport.resume)
        self._log_replay = LogReplay(broker, self.id, lambda: self._local_changes.announced, self._replayed)
        self._storage = SavedStateStorage(broker, settings.key)
        self._clock = SuperPeerClock()
        # That the store has failed, the node knows from the store.
        self._tasks = Supervisor(reported_elsewhere=(StoreError,))
        self._peer: SuperPeer | None = None
        self._is_newcomer = True
        self._is_restarting = False
        self._restart_lock = asyncio.Lock()
        self._members_digest = 0
        self._members_changed = asyncio.Event()
        self._limited_log = RateLimitedLog(_log)

    @classmethod
    async def open(cls, broker: Broker, advertisements: Advertisements, settings: OverlaySettings) -> Overlay:
        """Load the key pair, and listen."""
        own = await SavedStateStorage(broker, settings.key).key_pair()
        overlay = cls(broker, advertisements, settings, own)
        try:
            await overlay._listen()
        except BaseException:
            await overlay.transport.stop()
            raise
        return overlay

    @property
    def peer(self) -> SuperPeer:
        """The super-peer, once it has begun."""
        if self._peer is None:
            raise NetworkError(wanted="a super-peer", found="one that has not begun yet")
        return self._peer

    @property
    def address(self) -> str:
        return self.transport.address

    # Joining and leaving

    async def begin(self) -> None:
        """Join, found or resume a network; `joined` waits until that is done."""
        saved = await self._storage.saved_state()
        self._is_newcomer = not _has_members(saved, self.id)
        await self._local_changes.begin()
        self._rule_subscriptions.begin()
        await self._start_super_peer(saved)
        self.transport.start(self._receive)
        self.act(lambda peer, now: peer.start(now, self.settings.seeds))
        for name, work in (
            ("ticking", self._tick()),
            ("accepting", self._inbound_events.run()),
            ("replaying", self._log_replay.run()),
            ("remembering", self._save_periodically()),
        ):
            self._tasks.start(f"super-peer {name}", work)

    async def joined(self) -> None:
        """Wait until the super-peer is a member, or `JoinFailed`. One that was a member before does not wait."""
        if not self.settings.seeds or not self._is_newcomer:
            return
        try:
            async with asyncio.timeout(self.settings.join_seconds):
                while not self.peer.is_in:
                    await asyncio.sleep(_LOOK_SECONDS)
            # From here on it rejoins by itself.
            await self._save_now()
        except TimeoutError:
            key = self.settings.key.server.public
            found = [f"{seed}: {await diagnose(key, self._own, seed, 'super-peer')}" for seed in self.settings.seeds]
            message = (
                f"no super-peer let this one in within {self.settings.join_seconds:g} seconds; at {'; '.join(found)}"
            )
            raise JoinFailed(message) from None

    async def restart(self) -> None:
        """Restart the super-peer: the taxonomy has changed, and with it which subscriptions imply each other."""
        async with self._restart_lock:
            self._is_restarting = True
            self._local_changes.hold()
            saved = self.peer.saved_state()
            await self._inbound_events.settled()
            await self._start_super_peer(saved)
            self.act(lambda peer, now: peer.start(now))

    async def stop(self) -> None:
        """Leave in order: flush, leave the network, save; then release everything."""
        self._local_changes.end()
        self._rule_subscriptions.end()
        if self._peer is not None and self._peer.is_in and self._broker.store.failure is None:
            await self._flushed()
            self.act(lambda peer, now: peer.leave(now))
            await self._flushed()
            await self._save_last()
        await self._tasks.stop()
        await self.transport.stop()

    # Calls from other parts of the node

    def act(self, call: Call) -> None:
        """Call the super-peer, and do its effects."""
        if self._peer is None or self._is_restarting:
            return
        try:
            self._do(call(self._peer, self._clock.now()))
            if self._peer.members.digest != self._members_digest:
                self._members_digest = self._peer.members.digest
                self._members_changed.set()
                for listener in self.member_listeners:
                    listener()
        except Exception as bug:  # noqa: BLE001  whatever it is, the network has to go on
            self._limited_log.error("bug", "a bug in the super-peer: %s: %s", type(bug).__name__, bug, exc_info=bug)

    def advertise(self, description: Description, owner: str, lasts: float | None) -> None:
        self.act(lambda peer, now: peer.advertise(now, description, owner, lasts))

    def withdraw(self, key: str, owner: str) -> None:
        self.act(lambda peer, now: peer.withdraw(now, key, owner))

    def relay(self, to: str, body: bytes) -> None:
        """Send a message to the `relay_listeners` of another access point."""
        self.act(lambda peer, now: peer.relay(now, to, body))

    async def watermarks(self) -> dict[str, int]:
        """The watermarks of all origins; everything up to them that matches here is on the disk."""
        watermarks = self.peer.saved_state().watermarks
        await self._inbound_events.settled()
        return watermarks

    async def recall(self, since: dict[str, int]) -> None:
        """Recall everything after these watermarks; once this returns, a restart does not lose the recall."""
        if self._is_restarting or not self.peer.is_in:
            raise NetworkError(wanted="a super-peer that is in its network", found="one on its way there")
        self.act(lambda peer, now: peer.recall(now, since))
        await self._save_now()

    def broadcast(self, body: bytes) -> None:
        """Send a message to the `broadcast_listeners` of every super-peer."""
        self.act(lambda peer, now: peer.broadcast(now, body))

    # Private: inputs and effects

    async def _start_super_peer(self, saved: SavedSuperPeer | None) -> None:
        """Start a super-peer with the saved state, the taxonomy, and the node's subscriptions and advertisements."""
        taxonomy, head = self._broker.state.taxonomy, self._local_changes.announced
        rng = Random(SystemRandom().getrandbits(64))
        reasoner = AlgebraReasoner(taxonomy)
        hearing = CompiledMatcher(taxonomy)
        peer = SuperPeer(self.id, self.address, reasoner, rng, self.settings.timings, saved, head, hearing)
        # Before anything is sent: the number of starts makes its link sessions new.
        await self._storage.save(peer.saved_state())
        self._peer, self._is_restarting = peer, False
        # Subscriptions have to be known before the first attachment, which recalls what was missed for them.
        self._advertisements.listen(self)
        await self._local_changes.run()
        self._rule_subscriptions.run()

    def _receive(self, sender: str, packet: Packet) -> None:
        self.counters.receive(sender, packet)
        self.act(lambda peer, now: peer.receive(now, sender, packet))

    def _replayed(self, ticket: int, publications: list[Publication], upto: int) -> None:
        self.counters.events["replayed"] += len(publications)
        self.act(lambda peer, now: peer.replayed(now, ticket, publications, upto))

    def _do(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case SendPacket():
                    self.counters.send(effect.to, effect.packet)
                    self.transport.send(effect.to, effect.packet)
                case Accept():
                    self._accept(effect.publication)
                case Replay():
                    self._log_replay.add(effect)
                case RelayReceived():
                    for relay_listener in self.relay_listeners:
                        relay_listener(effect.sender, effect.body)
                case BroadcastReceived():
                    for listener in self.broadcast_listeners:
                        listener(effect)

    def _accept(self, publication: Publication) -> None:
        self._inbound_events.add(publication)
        if self._inbound_events.is_full:
            self.transport.pause()

    # Private: tasks

    async def _listen(self) -> None:
        if self.settings.address is not None:
            self.transport.listen(self.settings.address)
            return
        before = await self._storage.address()
        anywhere = f"tcp://{self.settings.host}:0"
        try:
            self.transport.listen(before or anywhere)
        except NetworkError:
            self.transport.listen(anywhere)
        await self._storage.keep_address(self.address)

    async def _tick(self) -> None:
        while True:
            self.act(lambda peer, now: peer.tick(now))
            await asyncio.sleep(_TICK_SECONDS)

    async def _save_periodically(self) -> None:
        while True:
            # Members are saved at once, watermarks periodically.
            with suppress(TimeoutError):
                async with asyncio.timeout(_SAVE_SECONDS):
                    await self._members_changed.wait()
            self._members_changed.clear()
            try:
                await self._save_now()
            except DiskFull as problem:
                self._limited_log.warning("memory", "the state of the super-peer is not saved: %s", problem)
            except StoreError:
                return

    async def _save_now(self) -> None:
        peer = self.peer
        saved = peer.saved_state()
        # Events have to be on the disk before the watermarks that cover them.
        await self._inbound_events.settled()
        if peer is self._peer and not self._is_restarting:
            await self._storage.save(saved)

    async def _save_last(self) -> None:
        with suppress(StoreError, TimeoutError):
            async with asyncio.timeout(_FLUSH_SECONDS):
                await self._save_now()

    async def _flushed(self) -> None:
        """Wait until everything is acknowledged, with a timeout."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_FLUSH_SECONDS):
                while not self.peer.is_flushed:
                    await asyncio.sleep(_LOOK_SECONDS)


def _has_members(saved: SavedSuperPeer | None, me: str) -> bool:
    return saved is not None and any(member.id != me for member in saved.members)
