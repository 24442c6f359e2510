"""A simulated super-peer with rules: its process comes and goes, its rules are what its log of inputs says.

Each input is on the disk before what came of it leaves. A crash loses the machine, and the inputs that are not on the
disk yet; nobody has seen anything of those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import TYPE_CHECKING

from triplewire.federation.codec import is_about_rules
from triplewire.federation.execution.effects import ToPeer
from triplewire.federation.inputs import (
    BodyReceived,
    FromPeerReceived,
    Grant,
    Input,
    NetworkChanged,
    PeerJoined,
    PeerLeft,
    Tick,
    encode_input,
)
from triplewire.federation.machine import MachineSetup, RuleMachine
from triplewire.federation.outputs import Broadcast, InquiryBegun, Output, Relay, RuleRegistered, TransactionSubmitted
from triplewire.federation.overlay import CubeOverlay
from triplewire.federation.policy import Policy
from triplewire.federation.sites.codec import decode_from_super_peer, encode_from_super_peer
from triplewire.federation.super_peer import RuleSuperPeer
from triplewire.network.effects import BroadcastReceived, RelayReceived, SendPacket
from triplewire.network.effects import Effect as NetworkEffect
from triplewire.network.saved_state import SavedSuperPeer
from triplewire.network.superpeer import SuperPeer
from triplewire.rules.schema import Schema
from triplewire.testing.simulation.federation.history import Happened, Incomplete
from triplewire.testing.simulation.federation.input_log import InputLog
from triplewire.testing.simulation.process import Process

if TYPE_CHECKING:
    from triplewire.testing.simulation.federation.world import FederationWorld

QUICK_WRITE = 0.01
_SELDOMEST_SNAPSHOT = 20.0

Told = Callable[[Output], object]


class RuleHost(Process[object]):
    """`machine` and `network` are None while the process is down."""

    def __init__(self, world: FederationWorld, host_id: str, seeds: Sequence[str] = ()) -> None:
        super().__init__(world, host_id)
        self.world = world
        self.seeds = tuple(seeds)
        self.network: SuperPeer | None = None
        self.machine: RuleMachine | None = None
        self.saved = SavedSuperPeer()
        self.slowest_write = QUICK_WRITE
        # The clock of the rules goes on over restarts, that of the process does not.
        self._rules_offset = world.clock_offset()
        self.log = InputLog(self._first_snapshot())
        self._seen: NetworkChanged | None = None
        self._uncommitted = 0

    def _first_snapshot(self) -> bytes:
        world = self.world
        policy = Policy(scheme=world.scheme, commutes=world.commutes)
        seed = world.rng.getrandbits(64)
        machine = RuleMachine(
            MachineSetup(me=self.id, whole=Schema(()), seed=seed, policy=policy, timings=world.rule_timings)
        )
        machine.take(Grant(self.rules_now, world.privileges(self.id)))
        return machine.snapshot()

    # Life

    def start(self) -> None:
        self.begin()
        world = self.world
        rng = Random(world.rng.getrandbits(64))
        self.network = SuperPeer(self.id, self.address, world.reasoner, rng, world.timings, self.saved)
        self.saved = self.network.saved_state()
        self.machine = self.log.machine(world.commutes)
        self._uncommitted, self._seen = 0, None
        self._do(self.network.start(self.now, self.seeds))
        for peer in world.peers_of(self.id):
            self.look_after(peer)
        self.later(world.rng.random() * world.tick, self._tick)
        self.later(world.rng.random() * 2.0, self._save)
        self.later(world.rng.random() * _SELDOMEST_SNAPSHOT, self._take_snapshot)

    def crash(self) -> None:
        super().crash()
        self.network = self.machine = None

    def disk_moment(self) -> float:
        return self.world.rng.random() * self.slowest_write

    @property
    def rules_now(self) -> float:
        return self.world.now + self._rules_offset

    @property
    def rules(self) -> RuleSuperPeer:
        assert self.machine is not None, "nobody asks while the process is down"
        return self.machine.rules

    # Inputs

    def handle(self, sender: str, message: object) -> None:
        assert self.network is not None
        if sender in self.world.peers:
            self.take(FromPeerReceived(self.rules_now, sender, message))  # type: ignore[arg-type]
        else:
            self._do(self.network.receive(self.now, sender, message))  # type: ignore[arg-type]

    def take(self, given: Input, told: Told | None = None) -> list[Output]:
        """Take an input; what comes of it leaves when it is on the disk, and `told` hears of it then."""
        assert self.machine is not None
        # A view that joins is the machine's own from then on.
        data = encode_input(given)
        outputs = self.machine.take(given)
        self._uncommitted += 1
        self.write(lambda: self._committed(data, outputs, told))
        return outputs

    def look_after(self, peer: str) -> None:
        """See whether a peer is here or not."""
        if self.network is None:
            return
        host = self.world.peers[peer]
        if host.is_here:
            self.take(PeerJoined(self.rules_now, peer, host.site.view, host.site.stream.next_serial))
        else:
            self.take(PeerLeft(self.rules_now, peer))

    @property
    def is_quiet(self) -> bool:
        if self.machine is None or self._uncommitted:
            return False
        return self.machine.rules.is_quiet and self.machine.delivery.is_flushed

    # Outputs

    def _committed(self, data: bytes, outputs: list[Output], told: Told | None) -> None:
        self.log.append(data)
        self._uncommitted -= 1
        for output in outputs:
            self._release(output)
            if told is not None:
                told(output)

    def _release(self, output: Output) -> None:
        assert self.network is not None
        match output:
            case Relay(to, data):
                self._do(self.network.relay(self.now, to, data))
            case Broadcast(data):
                self._do(self.network.broadcast(self.now, data))
            case ToPeer(to, request):
                asked = decode_from_super_peer(encode_from_super_peer(request))
                self.world.post(self.id, f"sim://{to}", asked)
            case RuleRegistered() | TransactionSubmitted() | InquiryBegun():
                pass
            case _:
                self.world.record(Happened(self.world.now, self.id, output))

    def _do(self, effects: Iterable[NetworkEffect]) -> None:
        for effect in effects:
            match effect:
                case SendPacket():
                    self.world.post(self.id, effect.to, effect.packet)
                case RelayReceived(sender, body):
                    self._take_body(sender, body)
                case BroadcastReceived(_, body):
                    self._take_body("", body)

    def _take_body(self, sender: str, body: bytes) -> None:
        assert is_about_rules(body), "nobody else is on this network"
        self.take(BodyReceived(self.rules_now, sender, body))

    # Periodic work

    def _tick(self) -> None:
        assert self.network is not None
        assert self.machine is not None
        if not self.is_stalled:
            self._do(self.network.tick(self.now))
            self._look_at_network(CubeOverlay(self.id, self.network.members))
            if self.machine.is_due(self.rules_now):
                self.take(Tick(self.rules_now))
        self.later(self.world.tick, self._tick)

    def _look_at_network(self, cube: CubeOverlay) -> None:
        others, members, onward = tuple(cube.others), tuple(cube.members), tuple(cube.onward())
        seen = NetworkChanged(0.0, others, members, onward)
        if seen != self._seen:
            self._seen = seen
            self.take(NetworkChanged(self.rules_now, others, members, onward))
        if len(others) + 1 < self.world.size and self.world.is_under_way:
            self.world.record(Incomplete(self.world.now, self.id))

    def _save(self) -> None:
        assert self.network is not None
        self.saved = self.network.saved_state()
        self.later(2.0, self._save)

    def _take_snapshot(self) -> None:
        assert self.machine is not None
        data = self.machine.snapshot()
        # It is on the disk after the inputs that are in it.
        self.write(lambda: self.log.begin_anew(data))
        self.later(self.world.rng.random() * _SELDOMEST_SNAPSHOT, self._take_snapshot)
