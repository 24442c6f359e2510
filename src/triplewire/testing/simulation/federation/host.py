"""A simulated super-peer with rules: its part in the network comes and goes, what it knows of rules is on its disk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import TYPE_CHECKING

from triplewire.federation.carrier import Carrier, Local
from triplewire.federation.delivery import Delivery
from triplewire.federation.effects import Effect
from triplewire.federation.execution.coordinator import Effects
from triplewire.federation.execution.effects import ToPeer
from triplewire.federation.overlay import CubeOverlay
from triplewire.federation.policy import Policy
from triplewire.federation.super_peer import RuleSuperPeer
from triplewire.network.effects import BroadcastReceived, RelayReceived, SendPacket
from triplewire.network.effects import Effect as NetworkEffect
from triplewire.network.saved_state import SavedSuperPeer
from triplewire.network.superpeer import SuperPeer
from triplewire.rules.schema import Schema
from triplewire.testing.simulation.federation.history import Happened, Incomplete
from triplewire.testing.simulation.process import Process

if TYPE_CHECKING:
    from triplewire.testing.simulation.federation.world import FederationWorld


class CurrentOverlay:
    """The network as the super-peer of the moment sees it."""

    def __init__(self, host: RuleHost) -> None:
        self._host = host

    @property
    def _cube(self) -> CubeOverlay:
        assert self._host.network is not None, "nobody asks while the process is down"
        return CubeOverlay(self._host.id, self._host.network.members)

    @property
    def others(self) -> Sequence[str]:
        return self._cube.others

    @property
    def members(self) -> Sequence[str]:
        return self._cube.members

    def onward(self, dimension: int = -1) -> Iterable[tuple[int, str]]:
        return self._cube.onward(dimension)


class RuleHost(Process[object]):
    """Rules and their deliveries survive a crash: each step is on the disk before its effects leave."""

    def __init__(self, world: FederationWorld, host_id: str, seeds: Sequence[str] = ()) -> None:
        super().__init__(world, host_id)
        self.world = world
        self.seeds = tuple(seeds)
        self.network: SuperPeer | None = None
        self.saved = SavedSuperPeer()
        self.delivery = Delivery(world.rule_timings.retry)
        self.rules = RuleSuperPeer(
            host_id,
            Schema(()),
            CurrentOverlay(self),
            Random(world.rng.getrandbits(64)),
            world.privileges(host_id),
            policy=Policy(scheme=world.scheme, commutes=world.commutes),
            timings=world.rule_timings,
        )
        # The clock of the rules goes on over restarts, that of the process does not.
        self._rules_offset = world.clock_offset()

    # Life

    def start(self) -> None:
        self.begin()
        world = self.world
        rng = Random(world.rng.getrandbits(64))
        self.network = SuperPeer(self.id, self.address, world.reasoner, rng, world.timings, self.saved)
        self.saved = self.network.saved_state()
        self._do(self.network.start(self.now, self.seeds))
        for peer in world.peers_of(self.id):
            self.look_after(peer)
        self.later(world.rng.random() * world.tick, self._tick)
        self.later(world.rng.random() * 2.0, self._save)

    def crash(self) -> None:
        super().crash()
        self.network = None

    @property
    def rules_now(self) -> float:
        return self.world.now + self._rules_offset

    # Inputs

    def handle(self, sender: str, message: object) -> None:
        assert self.network is not None
        if sender in self.world.peers:
            self.act(self.rules.reply(self.rules_now, sender, message))  # type: ignore[arg-type]
        else:
            self._do(self.network.receive(self.now, sender, message))  # type: ignore[arg-type]

    def act(self, effects: Effects | Iterable[Effect]) -> None:
        """Do what the rules ask for."""
        self._carried(*self._carrier.send(self.rules_now, self.now, effects))

    def look_after(self, peer: str) -> None:
        """See whether a peer is here or not."""
        if self.network is None:
            return
        host = self.world.peers[peer]
        if host.is_here:
            self.act(self.rules.join(self.rules_now, peer, host.site.view, host.site.stream.next_serial))
        else:
            self.act(self.rules.leave(self.rules_now, peer))

    @property
    def is_quiet(self) -> bool:
        return self.network is not None and self.rules.is_quiet and self.delivery.is_flushed

    # Effects

    @property
    def _carrier(self) -> Carrier:
        assert self.network is not None
        return Carrier(self.rules, self.delivery, self.network)

    def _do(self, effects: Iterable[NetworkEffect]) -> None:
        for effect in effects:
            match effect:
                case SendPacket():
                    self.world.post(self.id, effect.to, effect.packet)
                case RelayReceived(sender, body):
                    self._carried(*self._carrier.receive(self.rules_now, self.now, sender, body))
                case BroadcastReceived(_, body):
                    self._carried(*self._carrier.receive(self.rules_now, self.now, "", body))

    def _carried(self, out: list[NetworkEffect], local: Local) -> None:
        for effect in local:
            if isinstance(effect, ToPeer):
                self.world.post(self.id, f"sim://{effect.to}", effect.request)
            else:
                self.world.record(Happened(self.world.now, self.id, effect))
        self._do(out)

    # Periodic work

    def _tick(self) -> None:
        assert self.network is not None
        if not self.is_stalled:
            self._do(self.network.tick(self.now))
            self._carried(*self._carrier.tick(self.rules_now, self.now))
            if len(CurrentOverlay(self).others) + 1 < self.world.size and self.world.is_under_way:
                self.world.record(Incomplete(self.world.now, self.id))
        self.later(self.world.tick, self._tick)

    def _save(self) -> None:
        assert self.network is not None
        self.saved = self.network.saved_state()
        self.later(2.0, self._save)
