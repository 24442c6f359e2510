"""A simulated world of super-peers with rules, and of their peers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from triplewire.errors import SchemaViolation, UnknownName
from triplewire.federation.inputs import Register, Submit, Withdraw
from triplewire.federation.outputs import Output, TransactionSubmitted
from triplewire.federation.registration.precedence import Scheme
from triplewire.federation.sites.privileges import Privileges
from triplewire.federation.timings import FederationTimings
from triplewire.languages.rdftl import format_rule, parse_updates
from triplewire.languages.rdftl.syntax import Abort, Rule, Update
from triplewire.network.timings import Timings
from triplewire.rdf.terms import Triple
from triplewire.rules.execution.units import Commutes, none_commutes
from triplewire.rules.schema import Schema
from triplewire.testing.simulation.faults import RELIABLE, FaultModel
from triplewire.testing.simulation.federation.history import Record, Submitted
from triplewire.testing.simulation.federation.host import QUICK_WRITE, RuleHost
from triplewire.testing.simulation.federation.peer_host import PeerHost
from triplewire.testing.simulation.history import FaultCleared, FaultInjected
from triplewire.testing.simulation.superpeers.workload.rdf_encoding import RdfEncoding
from triplewire.testing.simulation.world import SimulatedWorld

_NOTICED = 1.0
_SLOW_WRITE = 1.0


class FederationWorld(SimulatedWorld[object, Record, RuleHost]):
    """Super-peers and peers with repositories. `is_under_way` is set once everybody has found everybody."""

    def __init__(
        self,
        seed: int,
        schema: Schema,
        fault_model: FaultModel = RELIABLE,
        privileges: dict[str, Privileges] | None = None,
        *,
        scheme: Scheme = Scheme.TIMESTAMP,
        commutes: Commutes = none_commutes,
    ) -> None:
        super().__init__(seed, fault_model)
        self.schema = schema
        self.timings = Timings()
        self.rule_timings = FederationTimings()
        self.scheme = scheme
        self.commutes = commutes
        self.reasoner = RdfEncoding().reasoner
        self.peers: dict[str, PeerHost] = {}
        self.size = 0
        self.is_under_way = False
        self._privileges = privileges or {}

    def privileges(self, super_peer: str) -> Privileges:
        return self._privileges.get(super_peer, Privileges())

    def peers_of(self, super_peer: str) -> list[str]:
        return [name for name, host in self.peers.items() if host.super_peer == super_peer]

    def found(self, size: int) -> None:
        """Super-peers SP1, SP2 and so on, each joining at those before."""
        for _ in range(size):
            self.join()
            self.run_for(0.5)

    def join(self) -> str:
        """One more super-peer starts, and joins at some of those before; returns its name."""
        seeds = [f"sim://{other}" for other in self.hosts]
        self.size += 1
        host = RuleHost(self, f"SP{self.size}", self.rng.sample(seeds, min(3, len(seeds))))
        self.add(host)
        host.start()
        return host.id

    def peer(self, name: str, super_peer: str, triples: Sequence[Triple], schema: Schema | None = None) -> PeerHost:
        """A peer that begins with these triples."""
        host = self.peers[name] = PeerHost(self, name, super_peer, schema or self.schema)
        host.load(list(triples))
        self.connect(host)
        self.later(self.rng.random(), host.repeat)
        self.hosts[super_peer].look_after(name)
        return host

    def declare(self, peer: str, schema: Schema) -> None:
        """A peer has another schema from now on, if what it has conforms to that."""
        host = self.peers[peer]
        if not host.is_here:
            return
        try:
            host.site.declare(schema)
        except SchemaViolation:
            return
        self.hosts[host.super_peer].look_after(peer)

    def register(self, super_peer: str, rule: Rule, abort: Abort | None = None) -> None:
        """Register a rule at a super-peer that is up, unless nobody has declared its names, as far as it knows."""
        host = self.hosts[super_peer]
        with suppress(UnknownName):
            host.take(Register(host.rules_now, format_rule(rule), self.now, abort=abort))

    def submit(self, peer: str, text: str) -> None:
        """A peer submits a transaction; not if its super-peer cannot be reached, takes it for gone, or refuses it."""
        host = self.hosts[self.peers[peer].super_peer]
        if host.network is None or host.is_stalled or not self.peers[peer].is_here or peer not in host.rules.group:
            return

        def told(output: Output) -> None:
            if isinstance(output, TransactionSubmitted):
                self.record(Submitted(self.now, output.unit, peer, parse_updates(text)))

        with suppress(UnknownName):
            host.take(Submit(host.rules_now, peer, text), told)

    @property
    def submitted(self) -> list[str]:
        """The transactions of which somebody was told that they are."""
        return [record.unit for record in self.history.records if isinstance(record, Submitted)]

    def change(self, peer: str, updates: tuple[Update, ...]) -> None:
        """A peer changes its repository by itself, whoever is there."""
        self.peers[peer].change(updates)

    def abort(self, unit: str) -> None:
        """A client withdraws a transaction."""
        host = self.hosts[unit.partition("/")[0]]
        if host.network is not None:
            host.take(Withdraw(host.rules_now, unit, "its client has withdrawn it"))

    def take_away(self, peer: str, seconds: float, *, crashes: bool = False) -> None:
        """A peer leaves, and returns after some seconds. Its super-peer notices that a moment later.

        One that crashes returns with what is on its disk.
        """
        host = self.peers[peer]
        if not host.is_here:
            return
        host.is_here = False
        if crashes:
            host.restart()
        what = f"{peer} is down" if crashes else f"{peer} is away"
        self.record(FaultInjected(self.now, what, lasts=True))
        self.later(_NOTICED, self._notice, peer)
        self.later(seconds, self._return, peer, what)

    def slow_down(self, host_id: str, seconds: float) -> None:
        """The disk of a super-peer is slow for some seconds, so that a crash finds inputs that are not on it."""
        what = f"the disk of {host_id} is slow"
        self.record(FaultInjected(self.now, what, lasts=True))
        self.hosts[host_id].slowest_write = _SLOW_WRITE
        self.later(seconds, self._speed_up, host_id, what)

    def _speed_up(self, host_id: str, what: str) -> None:
        self.hosts[host_id].slowest_write = QUICK_WRITE
        self.record(FaultCleared(self.now, what))

    @property
    def is_quiet(self) -> bool:
        """Whether nobody has anything left to do."""
        return all(host.is_quiet for host in self.hosts.values()) and all(peer.is_quiet for peer in self.peers.values())

    def _return(self, peer: str, what: str) -> None:
        self.peers[peer].is_here = True
        self.record(FaultCleared(self.now, what))
        self._notice(peer)

    def _notice(self, peer: str) -> None:
        self.hosts[self.peers[peer].super_peer].look_after(peer)
