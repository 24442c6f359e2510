"""A simulated world of super-peers.

world = World(seed=7, fault_model=UNRELIABLE)
world.found(8)                                  # eight super-peers, each joins the ones before
world.run_for(20)
name = world.subscribe("sp3", "bob", query)
world.publish("sp5", "crete", fact)
cut = world.isolate("sp3")
...
world.heal(cut)
world.run_for(20)
Checker(world.history, settle=15).first_violation()
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from triplewire.network.messages import Member, Packet, Publication
from triplewire.network.saved_state import SavedSuperPeer
from triplewire.network.timings import Timings
from triplewire.testing.simulation.faults import RELIABLE, FaultModel
from triplewire.testing.simulation.history import FaultInjected
from triplewire.testing.simulation.superpeers.disk import StoredAdvertisement, StoredRule, StoredSubscription
from triplewire.testing.simulation.superpeers.histories.history import (
    Advertised,
    Published,
    Record,
    Subscribed,
    SuperPeerLeft,
    Unsubscribed,
    Withdrawn,
)
from triplewire.testing.simulation.superpeers.host import Host, hops_of
from triplewire.testing.simulation.superpeers.packets import body_of, kind_of
from triplewire.testing.simulation.superpeers.workload.facts import Fact, Offer, Query
from triplewire.testing.simulation.superpeers.workload.rdf_encoding import RdfEncoding
from triplewire.testing.simulation.trace import Trace
from triplewire.testing.simulation.world import SimulatedWorld


class World(SimulatedWorld[Packet, Record, Host]):
    """Super-peers and their peers. With `encoded` each packet is encoded and decoded, as on a real network."""

    def __init__(
        self,
        seed: int,
        fault_model: FaultModel = RELIABLE,
        timings: Timings | None = None,
        encoding: RdfEncoding | None = None,
        *,
        tick: float = 0.2,
        save_every: float | None = 2.0,
        encoded: bool = False,
    ) -> None:
        super().__init__(seed, fault_model, Trace(kind_of, body_of), tick=tick, encoded_as=Packet if encoded else None)
        self.timings = timings or Timings()
        self.encoding = encoding or RdfEncoding()
        self.save_every = save_every
        self._names = count(1)

    # Super-peers

    def host(self, host_id: str, seeds: Sequence[str] = ()) -> Host:
        """A host for a super-peer, which joins at `seeds`."""
        host = Host(self, host_id, [f"sim://{seed}" for seed in seeds])
        self.add(host)
        return host

    def join(self, host_id: str, seeds: Sequence[str] = ()) -> Host:
        """A super-peer starts; without seeds it founds a network."""
        self.record(FaultInjected(self.now, f"{host_id} starts", is_churn=True))
        host = self.host(host_id, seeds)
        host.start()
        return host

    def found(self, size: int, interval: float = 0.5) -> None:
        """Super-peers sp0, sp1 and so on, one after the other, each knowing some of those before."""
        for number in range(size):
            before = [f"sp{other}" for other in range(number)]
            self.join(f"sp{number}", self.rng.sample(before, min(3, number)))
            self.run_for(interval)

    def prepare(self, size: int) -> None:
        """Start many super-peers that know each other already, without joins."""
        names = [f"sp{number}" for number in range(size)]
        members = tuple(Member(name, f"sim://{name}", claim=place) for place, name in enumerate(names))
        for name in names:
            host = self.host(name)
            host.disk.memory = SavedSuperPeer(members=members, watermarks=dict.fromkeys(names, 0))
            host.start(with_saved_members=True)

    def leave(self, host_id: str, drain: float = 0.0) -> None:
        """A super-peer leaves: after `drain` seconds its subscriptions end, it leaves the network, and ends."""
        host = self.hosts[host_id]
        host.is_leaving = True
        self.record(FaultInjected(self.now, f"{host_id} leaves", is_churn=True))
        self.later(drain, host.leave, lambda: self._end_subscriptions(host), lambda: self.remove(host))

    def _end_subscriptions(self, host: Host) -> None:
        for name in list(host.disk.subscriptions):
            self.unsubscribe(host.id, name)
        for name in list(host.disk.rules):
            self.remove_rule(host.id, name)
        for name in list(host.disk.advertisements):
            self.withdraw(host.id, name)
        self.record(SuperPeerLeft(self.now, host.id))

    # Peers

    def subscribe(self, host_id: str, peer: str, query: Query) -> str:
        """A peer comes on-line and subscribes at its access point; returns the subscription's name."""
        self.come_online(host_id, peer)
        name = f"s{next(self._names)}"
        self.record(Subscribed(self.now, host_id, peer, name, query))
        self.hosts[host_id].subscribe(StoredSubscription(name, peer, self.encoding.standing_query(query)))
        return name

    def unsubscribe(self, host_id: str, name: str) -> None:
        self.come_online(host_id, self.hosts[host_id].disk.subscriptions[name].peer)
        self.hosts[host_id].unsubscribe(name)
        self.record(Unsubscribed(self.now, host_id, name))

    def go_offline(self, host_id: str, peer: str) -> None:
        """A peer goes off-line; its subscriptions stay."""
        self.hosts[host_id].go_offline(peer)

    def come_online(self, host_id: str, peer: str) -> None:
        self.hosts[host_id].come_online(peer)

    def trim(self, host_id: str) -> None:
        """Retention removes the notifications of peers that are off-line."""
        self.hosts[host_id].trim()

    def add_rule(self, host_id: str, query: Query, publishes: Fact) -> str:
        """Add a rule that publishes a fact for each event that matches; returns the rule's name."""
        name = f"r{next(self._names)}"
        host = self.hosts[host_id]
        self.record(Subscribed(self.now, host_id, f"{host_id}/rules", name, query, is_rule=True))
        host.add_rule(StoredRule(name, self.encoding.standing_query(query), publishes, host.disk.head))
        return name

    def remove_rule(self, host_id: str, name: str) -> None:
        self.hosts[host_id].remove_rule(name)
        self.record(Unsubscribed(self.now, host_id, name))

    def rule_event(
        self, host_id: str, rule: StoredRule, cause: Publication
    ) -> tuple[Publication, Callable[[Publication], None]]:
        """The event that a rule publishes for another one, and the continuation when it is on disk."""
        event, hops = f"{cause.event}/{rule.name}", hops_of(cause) + 1
        payload = self.encoding.payload(event, rule.publishes)
        publication = Publication(host_id, 0, event, f"{host_id}/rules", cause.time, f"rules:{hops}", payload)

        return publication, lambda stored: self._acknowledge(stored, rule.publishes, rule.name, cause.event, hops)

    def advertise(self, host_id: str, peer: str, offer: Offer, lasts: float | None = None) -> str:
        """A peer advertises; returns the advertisement's name."""
        name = f"a{next(self._names)}"
        self.record(Advertised(self.now, host_id, peer, name, offer))
        self.hosts[host_id].advertise(StoredAdvertisement(name, peer, self.encoding.description(offer), lasts))
        return name

    def withdraw(self, host_id: str, name: str) -> None:
        self.hosts[host_id].withdraw(name)
        self.record(Withdrawn(self.now, host_id, name))

    def publish(self, host_id: str, peer: str, fact: Fact) -> str:
        """A peer publishes; returns the event's name. It counts once the access point has acknowledged it."""
        event = f"urn:event:{next(self._names)}"
        payload = self.encoding.payload(event, fact)
        # The wall clock may show anything, and nothing may depend on it.
        time = f"{self.rng.randrange(1970, 2100)}-01-01T00:00:00Z"
        publication = Publication(host_id, 0, event, peer, time, None, payload)
        self.hosts[host_id].publish(publication, lambda stored: self._acknowledge(stored, fact))
        return event

    def _acknowledge(self, stored: Publication, fact: Fact, rule: str = "", cause: str = "", hops: int = 0) -> None:
        fields = (stored.origin, stored.publisher, stored.event, stored.position, fact, rule, cause, hops)
        self.record(Published(self.now, *fields))
