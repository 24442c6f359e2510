"""The overlay: a node as a super-peer. It drives the pure `SuperPeer`, and does what that wants done.

Everything that concerns the super-peer happens on the event loop, one call after the other. What comes in:

    transport    messages of others, from whoever holds the connection's key
    the broker   subscriptions that begin and end, and events that were published here, after their commit (`telling`);
                 rules that listen (`listening`)
    clients      advertisements (`advertisements`, `deriving`)
    time         five times a second

What goes out: messages; events to be stored (`accepting`); parts of the log to be read (`replaying`); words between
access points, for `relays` and `spreads`, where whoever looks after sessions listens. What survives is in
`remembering`.

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
from triplewire.matching.general.isolated_evaluator import IsolatedEvaluator
from triplewire.network.effects import Accept, BroadcastReceived, Effect, RelayReceived, Replay, Send
from triplewire.network.memory import SavedSuperPeer
from triplewire.network.messages import Description, Packet, Publication
from triplewire.network.routing.subscriptions.event_matching import CompiledMatcher
from triplewire.network.routing.subscriptions.reasoner import AlgebraReasoner
from triplewire.network.superpeer import SuperPeer
from triplewire.network.timings import Timings
from triplewire.node.broker.advertisements import Advertisements
from triplewire.node.broker.broker import Broker
from triplewire.node.overlay.inbound_events import Accepting
from triplewire.node.overlay.join_diagnosis import diagnosed
from triplewire.node.overlay.local_changes import Telling
from triplewire.node.overlay.log_replay import Replaying
from triplewire.node.overlay.memory_storage import Remembering
from triplewire.node.overlay.rule_subscriptions import Listening
from triplewire.node.overlay.super_peer_clock import Pulse
from triplewire.node.overlay.traffic_counters import Tally
from triplewire.node.transport.backbone import Transport
from triplewire.node.transport.keys import KeyPair, NetworkKey
from triplewire.node.transport.rate_limited_log import Seldom
from triplewire.system.supervisor import Supervisor

_log = logging.getLogger(__name__)

_TICK_SECONDS = 0.2
_KEEP_SECONDS = 1.0
_LOOK_SECONDS = 0.05
_FLUSH_SECONDS = 2.0
Call = Callable[[SuperPeer, float], Iterable[Effect]]


class Plan(Struct, frozen=True, kw_only=True):
    """How a node is to be in a network.

    `seeds` are where it joins: none to found a network, or to go on in the one that it remembers. Without an address it
    takes a free port of `host`, and the same again when it comes back.
    """

    key: NetworkKey
    address: str | None = None
    host: str = "127.0.0.1"
    seeds: tuple[str, ...] = ()
    join_seconds: float = 30.0
    timings: Timings = Timings()


class Overlay:
    """Open it on an event loop with `await Overlay.open(…)`, `begin`, and `stop` it."""

    def __init__(self, broker: Broker, advertisements: Advertisements, plan: Plan, own: KeyPair) -> None:
        self.id = own.member
        self.plan = plan
        self.tally = Tally()
        self.relays: list[Callable[[str, bytes], None]] = []
        self.spreads: list[Callable[[BroadcastReceived], None]] = []
        self.transport = Transport(plan.key, own)
        self._own = own
        self._evaluator = IsolatedEvaluator()
        self._broker = broker
        self._advertisements = advertisements
        self._telling = Telling(broker, advertisements, self.id, self.act)
        self._listening = Listening(broker, self.act)
        self._accepting = Accepting(broker, self.tally.events, self.transport.resume)
        self._replaying = Replaying(broker, self.id, lambda: self._telling.told, self._replayed)
        self._remembering = Remembering(broker, plan.key)
        self._pulse = Pulse()
        # That the store has failed, the node knows from the store.
        self._tasks = Supervisor(told_elsewhere=(StoreError,))
        self._peer: SuperPeer | None = None
        self._is_stranger = True
        self._is_away = False
        self._appearing = asyncio.Lock()
        self._known = 0
        self._others_changed = asyncio.Event()
        self._seldom = Seldom(_log)

    @classmethod
    async def open(cls, broker: Broker, advertisements: Advertisements, plan: Plan) -> Overlay:
        """Take up the key pair, and listen."""
        own = await Remembering(broker, plan.key).key_pair()
        overlay = cls(broker, advertisements, plan, own)
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

    # Coming and going

    async def begin(self) -> None:
        """Join, found, or go on; `joined` tells when that is done."""
        memory = await self._remembering.memory()
        self._is_stranger = not _knows_others(memory, self.id)
        await self._telling.begin()
        self._listening.begin()
        await self._appear(memory)
        self.transport.start(self._receive)
        self.act(lambda peer, now: peer.start(now, self.plan.seeds))
        for name, work in (
            ("ticking", self._tick()),
            ("accepting", self._accepting.run()),
            ("replaying", self._replaying.run()),
            ("remembering", self._remember()),
        ):
            self._tasks.start(f"super-peer {name}", work)

    async def joined(self) -> None:
        """Wait until the super-peer is in, or `JoinFailed`. One that was in before waits for nobody."""
        if not self.plan.seeds or not self._is_stranger:
            return
        try:
            async with asyncio.timeout(self.plan.join_seconds):
                while not self.peer.is_in:
                    await asyncio.sleep(_LOOK_SECONDS)
            # From here on it comes back by itself.
            await self._remember_now()
        except TimeoutError:
            found = [f"{seed}: {await diagnosed(self.plan.key, self._own, seed)}" for seed in self.plan.seeds]
            message = f"no super-peer let this one in within {self.plan.join_seconds:g} seconds; at {'; '.join(found)}"
            raise JoinFailed(message) from None

    async def begin_again(self) -> None:
        """Go on as after a restart: the taxonomy has changed, and with it what subscriptions mean to each other."""
        async with self._appearing:
            self._is_away = True
            self._telling.hold()
            memory = self.peer.saved_state()
            await self._accepting.settled()
            await self._appear(memory)
            self.act(lambda peer, now: peer.start(now))

    async def stop(self) -> None:
        """Leave in order: say what there is to say, and goodbye; then let go."""
        self._telling.end()
        self._listening.end()
        if self._peer is not None and self._peer.is_in and self._broker.store.failure is None:
            await self._flushed()
            self.act(lambda peer, now: peer.leave(now))
            await self._flushed()
            await self._remember_last()
        await self._tasks.stop()
        await self.transport.stop()
        self._evaluator.close()

    # What others in the node want of the network

    def act(self, call: Call) -> None:
        """Call the super-peer, and do what it wants done."""
        if self._peer is None or self._is_away:
            return
        try:
            self._do(call(self._peer, self._pulse.now()))
            if self._peer.members.digest != self._known:
                self._known = self._peer.members.digest
                self._others_changed.set()
        except Exception as bug:  # noqa: BLE001  whatever it is, the network has to go on
            self._seldom.error("bug", "a bug in the super-peer: %s: %s", type(bug).__name__, bug, exc_info=bug)

    def advertise(self, description: Description, owner: str, lasts: float | None) -> None:
        self.act(lambda peer, now: peer.advertise(now, description, owner, lasts))

    def withdraw(self, key: str, owner: str) -> None:
        self.act(lambda peer, now: peer.withdraw(now, key, owner))

    def relay(self, to: str, body: bytes) -> None:
        """Say something to another access point; there `relays` hear it."""
        self.act(lambda peer, now: peer.relay(now, to, body))

    async def watermarks(self) -> dict[str, int]:
        """How far every super-peer has been heard; all of that, as far as it is wanted here, is on the disk."""
        watermarks = self.peer.saved_state().watermarks
        await self._accepting.settled()
        return watermarks

    async def recall(self, since: dict[str, int]) -> None:
        """Have everything sent again that is wanted here and came after these positions; it will, once this returns."""
        if self._is_away or not self.peer.is_in:
            raise NetworkError(wanted="a super-peer that is in its network", found="one on its way there")
        self.act(lambda peer, now: peer.recall(now, since))
        await self._remember_now()

    def broadcast(self, body: bytes) -> None:
        """Say something to every super-peer; there `spreads` hear it."""
        self.act(lambda peer, now: peer.broadcast(now, body))

    # Private: in and out

    async def _appear(self, memory: SavedSuperPeer | None) -> None:
        """A super-peer with what is remembered, the taxonomy of now, and all that stands here."""
        taxonomy, head = self._broker.state.taxonomy, self._telling.told
        rng = Random(SystemRandom().getrandbits(64))
        # Started here, so that the event loop does not wait for that when the first query needs it.
        await asyncio.to_thread(self._evaluator.start)
        reasoner = AlgebraReasoner(taxonomy, evaluator=self._evaluator)
        hearing = CompiledMatcher(taxonomy, self._evaluator)
        peer = SuperPeer(self.id, self.address, reasoner, rng, self.plan.timings, memory, head, hearing)
        # Before anything is said: the number of starts makes its sessions new.
        await self._remembering.keep(peer.saved_state())
        self._peer, self._is_away = peer, False
        # What stands here has to be known before the first attachment, which recalls what was missed for it.
        self._advertisements.listen(self)
        await self._telling.run()
        self._listening.run()

    def _receive(self, sender: str, packet: Packet) -> None:
        self.tally.receive(sender, packet)
        self.act(lambda peer, now: peer.receive(now, sender, packet))

    def _replayed(self, ticket: int, publications: list[Publication], upto: int) -> None:
        self.tally.events["replayed"] += len(publications)
        self.act(lambda peer, now: peer.replayed(now, ticket, publications, upto))

    def _do(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Send():
                    self.tally.send(effect.to, effect.packet)
                    self.transport.send(effect.to, effect.packet)
                case Accept():
                    self._accept(effect.publication)
                case Replay():
                    self._replaying.add(effect)
                case RelayReceived():
                    for hear in self.relays:
                        hear(effect.sender, effect.body)
                case BroadcastReceived():
                    for listen in self.spreads:
                        listen(effect)

    def _accept(self, publication: Publication) -> None:
        self._accepting.add(publication)
        if self._accepting.is_full:
            self.transport.pause()

    # Private: what goes on by itself

    async def _listen(self) -> None:
        if self.plan.address is not None:
            self.transport.listen(self.plan.address)
            return
        before = await self._remembering.address()
        anywhere = f"tcp://{self.plan.host}:0"
        try:
            self.transport.listen(before or anywhere)
        except NetworkError:
            self.transport.listen(anywhere)
        await self._remembering.keep_address(self.address)

    async def _tick(self) -> None:
        while True:
            self.act(lambda peer, now: peer.tick(now))
            await asyncio.sleep(_TICK_SECONDS)

    async def _remember(self) -> None:
        while True:
            # Who the others are is written at once, how far they were heard now and then.
            with suppress(TimeoutError):
                async with asyncio.timeout(_KEEP_SECONDS):
                    await self._others_changed.wait()
            self._others_changed.clear()
            try:
                await self._remember_now()
            except DiskFull as problem:
                self._seldom.warning("memory", "what was heard is not written down: %s", problem)
            except StoreError:
                return

    async def _remember_now(self) -> None:
        peer = self.peer
        memory = peer.saved_state()
        # What was heard by now is to be on the disk before it says so.
        await self._accepting.settled()
        if peer is self._peer and not self._is_away:
            await self._remembering.keep(memory)

    async def _remember_last(self) -> None:
        with suppress(StoreError, TimeoutError):
            async with asyncio.timeout(_FLUSH_SECONDS):
                await self._remember_now()

    async def _flushed(self) -> None:
        """Wait until the others have heard everything, but not for ever."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_FLUSH_SECONDS):
                while not self.peer.is_flushed:
                    await asyncio.sleep(_LOOK_SECONDS)


def _knows_others(memory: SavedSuperPeer | None, me: str) -> bool:
    return memory is not None and any(member.id != me for member in memory.members)
