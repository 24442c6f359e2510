"""A simulated event space.

world = SpaceWorld(seed=7, fault_model=UNRELIABLE)
world.found(5)                                  # five nodes, each joins the ones before
name = world.subscribe("n3", "SELECT ?x { ?x <urn:p> ?y }")
world.run_for(5)
world.publish("n1", event)
world.crash("n2")
...
world.restart("n2")
world.run_for(60)
SpaceChecker(world.history).first_violation()
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from triplewire.errors import DiskFull
from triplewire.network.can.geometry.space import SPACE, Bounds
from triplewire.network.can.messages import Message
from triplewire.network.can.timings import Timings
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.rdf.events import Event
from triplewire.testing.simulation.eventspace.history import Asked, Leaving, NodeEnded, Record
from triplewire.testing.simulation.eventspace.host import SpaceHost
from triplewire.testing.simulation.faults import RELIABLE, FaultModel, links_from
from triplewire.testing.simulation.history import FaultCleared, FaultInjected
from triplewire.testing.simulation.network import Cut
from triplewire.testing.simulation.world import SimulatedWorld


class SpaceWorld(SimulatedWorld[Message, Record, SpaceHost]):
    """Nodes of one space and their clients. `strategies` are those that nodes draw theirs from."""

    def __init__(
        self,
        seed: int,
        fault_model: FaultModel = RELIABLE,
        timings: Timings | None = None,
        strategies: Sequence[PublicationStrategy] = tuple(PublicationStrategy),
        *,
        tick: float = 0.2,
    ) -> None:
        super().__init__(seed, fault_model, tick=tick, encoded_as=Message)
        self.timings = timings or Timings()
        self.strategies = tuple(strategies)
        self._names = count(1)

    # Nodes

    def join(self, host_id: str, seeds: Sequence[str] = ()) -> SpaceHost:
        """A node starts; without seeds it founds a space."""
        self.record(FaultInjected(self.now, f"{host_id} starts", is_churn=True))
        addresses = [f"sim://{seed}" for seed in seeds]
        host = SpaceHost(self, host_id, addresses, self.rng.choice(self.strategies))
        self.add(host)
        host.start()
        return host

    def found(self, size: int, interval: float = 1.0) -> None:
        """Nodes n0, n1 and so on, one after the other, each knowing some of those before."""
        for number in range(size):
            before = [f"n{other}" for other in range(number)]
            self.join(f"n{number}", self.rng.sample(before, min(3, number)))
            self.run_for(interval)

    def leave(self, host_id: str) -> None:
        """A node leaves: its subscriptions end, and it ends when others have all that it had."""
        host = self.hosts[host_id]
        host.is_leaving = True
        self.record(FaultInjected(self.now, f"{host_id} leaves", is_churn=True))
        self.record(Leaving(self.now, host_id))
        for subscription_id in list(host.disk.subscriptions):
            host.unsubscribe(subscription_id)
        host.leave()

    def destroy(self, host_id: str) -> None:
        """A node is lost for good, with its disk."""
        self.record(FaultInjected(self.now, f"{host_id} is destroyed"))
        self.end(self.hosts[host_id])

    def end(self, host: SpaceHost) -> None:
        """A node is gone for good."""
        self.record(NodeEnded(self.now, host.id))
        self.remove(host)

    def fill_disk(self, host_id: str) -> Callable[[], None]:
        """From now on a node cannot commit; returns what makes room again."""
        what = f"the disk of {host_id} is full"
        storage = self.hosts[host_id].disk.storage
        storage.fail_with = DiskFull(wanted="room for a commit", found="none")
        self.record(FaultInjected(self.now, what, lasts=True))

        def make_room() -> None:
            storage.fail_with = None
            self.record(FaultCleared(self.now, what))

        return make_room

    @property
    def is_busy(self) -> bool:
        """Whether some node is down, or waits for something."""
        return any(host.is_busy for host in self.hosts.values())

    def split_one_way(self, some: Sequence[str]) -> Cut:
        """Nobody else hears a group of nodes; they hear the others."""
        return self.cut(links_from(some, self._others(some)), f"{', '.join(some)} are not heard")

    # Clients

    def subscribe(self, host_id: str, text: str) -> str:
        """A client subscribes at a node; returns the subscription's identifier."""
        subscription_id = f"s{next(self._names)}"
        self.hosts[host_id].subscribe(subscription_id, text)
        return subscription_id

    def unsubscribe(self, host_id: str, subscription_id: str) -> None:
        self.hosts[host_id].unsubscribe(subscription_id)

    def publish(self, host_id: str, event: Event) -> None:
        """A client publishes at a node. It counts once it is acknowledged."""
        self.hosts[host_id].publish(next(self._names), event)

    def ask(self, host_id: str, box: Bounds = SPACE, *, is_strict: bool = False) -> int:
        """A client asks for all quadruples in a box; returns the ticket of the answer."""
        ticket = next(self._names)
        self.record(Asked(self.now, host_id, ticket, box, is_strict))
        self.hosts[host_id].ask(ticket, box)
        return ticket
