"""A world with its own time, in which super-peers talk over a network that somebody breaks.

    world = World(seed=7, weather=ROUGH)
    world.found(8)                                  # eight super-peers, each joins the ones before
    world.run_for(20)
    name = world.subscribe("sp3", "bob", query)
    world.publish("sp5", "crete", fact)
    cut = world.isolate("sp3")
    ...
    world.mend(cut)
    world.run_for(20)
    Checker(world.history, settle=15).first_violation()

Everything that happens by chance is drawn from one generator: a seed gives the same run again, message by message.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from triplewire.network.memory import SavedSuperPeer
from triplewire.network.messages import Member, Publication
from triplewire.network.timings import Timings
from triplewire.testing.simulation.disk import Advertisement, Rule, Subscription
from triplewire.testing.simulation.faults import FINE, Weather
from triplewire.testing.simulation.histories.history import (
    Advertised,
    Ended,
    Mended,
    Published,
    Subscribed,
    Troubled,
    Unsubscribed,
    Withdrawn,
)
from triplewire.testing.simulation.host import Host, hops_of
from triplewire.testing.simulation.network import Network
from triplewire.testing.simulation.workload.dialect import Dialect
from triplewire.testing.simulation.workload.facts import Fact, Offer, Query

_HOUR = 3600.0


class World(Network):
    """Time, the network, and the processes. `clocks_differ` lets each process find its clock anywhere."""

    def __init__(
        self,
        seed: int,
        weather: Weather = FINE,
        timings: Timings | None = None,
        dialect: Dialect | None = None,
        *,
        tick: float = 0.2,
        save_every: float | None = 2.0,
        encoded: bool = False,
    ) -> None:
        super().__init__(seed, weather, encoded=encoded)
        self.timings = timings or Timings()
        self.dialect = dialect or Dialect()
        self.tick = tick
        self.save_every = save_every
        self.hosts: dict[str, Host] = {}
        self._names = count(1)
        self.clocks_differ = True

    def clock_offset(self) -> float:
        """What somebody's monotonic clock shows at the beginning: anything."""
        return self.rng.random() * 1_000 * _HOUR if self.clocks_differ else 0.0

    # Super-peers

    def host(self, host_id: str, seeds: Sequence[str] = ()) -> Host:
        """A place for a super-peer; `seeds` are those that it asks to let it in."""
        host = Host(self, host_id, [f"sim://{seed}" for seed in seeds])
        self.hosts[host_id] = host
        self.connect(host)
        return host

    def join(self, host_id: str, seeds: Sequence[str] = ()) -> Host:
        """A super-peer starts; without seeds it founds a network."""
        self.record(Troubled(self.now, f"{host_id} starts", is_churn=True))
        host = self.host(host_id, seeds)
        host.start()
        return host

    def found(self, size: int, apart: float = 0.5) -> None:
        """Super-peers sp0, sp1 and so on, one after the other, each knowing some of those before."""
        for number in range(size):
            before = [f"sp{other}" for other in range(number)]
            self.join(f"sp{number}", self.rng.sample(before, min(3, number)))
            self.run_for(apart)

    def prepare(self, size: int) -> None:
        """As many that know each other already: thousands need not join one by one."""
        names = [f"sp{number}" for number in range(size)]
        members = tuple(Member(name, f"sim://{name}", claim=place) for place, name in enumerate(names))
        for name in names:
            host = self.host(name)
            host.disk.memory = SavedSuperPeer(members=members, watermarks=dict.fromkeys(names, 0))
            host.start(among_others=True)

    def crash(self, host_id: str) -> None:
        """It loses all but its disk, and is down until `restart`."""
        self.record(Troubled(self.now, f"{host_id} is down", lasts=True))
        self.hosts[host_id].crash()

    def restart(self, host_id: str) -> None:
        self.record(Mended(self.now, f"{host_id} is down"))
        self.hosts[host_id].start()

    def stall(self, host_id: str, seconds: float) -> None:
        what = f"{host_id} stalls"
        self.record(Troubled(self.now, what, lasts=True))
        self.hosts[host_id].stall(seconds)
        self.later(seconds, lambda: self.record(Mended(self.now, what)))

    def leave(self, host_id: str, drain: float = 0.0) -> None:
        """Nobody publishes there any more; after a while its peers go and it says goodbye; then its process ends."""
        host = self.hosts[host_id]
        host.is_leaving = True
        self.record(Troubled(self.now, f"{host_id} leaves", is_churn=True))
        self.later(drain, host.leave, lambda: self._say_goodbye(host), lambda: self._end(host))

    def _say_goodbye(self, host: Host) -> None:
        for name in list(host.disk.subscriptions):
            self.unsubscribe(host.id, name)
        for name in list(host.disk.rules):
            self.listen_no_more(host.id, name)
        for name in list(host.disk.advertisements):
            self.withdraw(host.id, name)
        self.record(Ended(self.now, host.id))

    def _end(self, host: Host) -> None:
        host.crash()
        del self.hosts[host.id]
        self.disconnect(host)

    # Peers

    def subscribe(self, host_id: str, peer: str, query: Query) -> str:
        """A peer subscribes at its access point, where it is then; the subscription's name."""
        self.come_back(host_id, peer)
        name = f"s{next(self._names)}"
        self.record(Subscribed(self.now, host_id, peer, name, query))
        self.hosts[host_id].subscribe(Subscription(name, peer, self.dialect.standing_query(query)))
        return name

    def unsubscribe(self, host_id: str, name: str) -> None:
        self.come_back(host_id, self.hosts[host_id].disk.subscriptions[name].peer)
        self.hosts[host_id].unsubscribe(name)
        self.record(Unsubscribed(self.now, host_id, name))

    def go_away(self, host_id: str, peer: str) -> None:
        """A peer goes off-line; its subscriptions stay."""
        self.hosts[host_id].go_away(peer)

    def come_back(self, host_id: str, peer: str) -> None:
        self.hosts[host_id].come_back(peer)

    def trim(self, host_id: str) -> None:
        """Retention passes by everybody who is away."""
        self.hosts[host_id].trim()

    def listen(self, host_id: str, query: Query, says: Fact) -> str:
        """A rule listens at an access point, and says something for each event that it hears; the rule's name."""
        name = f"r{next(self._names)}"
        host = self.hosts[host_id]
        self.record(Subscribed(self.now, host_id, f"{host_id}/rules", name, query, is_rule=True))
        host.listen(Rule(name, self.dialect.standing_query(query), says, host.disk.head))
        return name

    def listen_no_more(self, host_id: str, name: str) -> None:
        self.hosts[host_id].listen_no_more(name)
        self.record(Unsubscribed(self.now, host_id, name))

    def said_by(
        self, host_id: str, rule: Rule, heard: Publication
    ) -> tuple[Publication, Callable[[Publication], None]]:
        """What a rule says of an event that it heard, and what is to be done when that is on the disk."""
        event, hops = f"{heard.event}/{rule.name}", hops_of(heard) + 1
        payload = self.dialect.payload(event, rule.says)
        said = Publication(host_id, 0, event, f"{host_id}/rules", heard.time, f"rules:{hops}", payload)
        return said, lambda stored: self._acknowledge(stored, rule.says, rule.name, heard.event, hops)

    def advertise(self, host_id: str, peer: str, offer: Offer, lasts: float | None = None) -> str:
        """A peer says what it will publish; the advertisement's name."""
        name = f"a{next(self._names)}"
        self.record(Advertised(self.now, host_id, peer, name, offer))
        self.hosts[host_id].advertise(Advertisement(name, peer, self.dialect.description(offer), lasts))
        return name

    def withdraw(self, host_id: str, name: str) -> None:
        self.hosts[host_id].withdraw(name)
        self.record(Withdrawn(self.now, host_id, name))

    def publish(self, host_id: str, peer: str, fact: Fact) -> str:
        """A peer publishes; the event's name. It counts once the access point has acknowledged it."""
        event = f"urn:event:{next(self._names)}"
        payload = self.dialect.payload(event, fact)
        # What a wall clock shows may be anything, and nothing may depend on it.
        time = f"{self.rng.randrange(1970, 2100)}-01-01T00:00:00Z"
        publication = Publication(host_id, 0, event, peer, time, None, payload)
        self.hosts[host_id].publish(publication, lambda stored: self._acknowledge(stored, fact))
        return event

    def _acknowledge(self, stored: Publication, fact: Fact, rule: str = "", cause: str = "", hops: int = 0) -> None:
        told = (stored.origin, stored.publisher, stored.event, stored.position, fact, rule, cause, hops)
        self.record(Published(self.now, *told))
