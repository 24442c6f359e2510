"""How large a run is."""

from __future__ import annotations

from msgspec import Struct

from benchmarks.network.latency import RealPlan


class Plan(Struct, frozen=True):
    """Sizes of networks; how many subscriptions each super-peer has in the end; how many events are published.

    Without advertisements every subscription floods the network, so that policy is measured up to `most_flooded` only.
    `lone` is how many subscriptions are measured one by one, before there are others. `crowds` are further pairs of
    super-peers and subscriptions at each, with advertisements and poset only. `real` is about real processes.
    """

    sizes: tuple[int, ...]
    lone: int
    subscriptions: int
    events: int
    failing: tuple[int, ...]
    crowds: tuple[tuple[int, int], ...] = ()
    most_flooded: int = 256
    real: RealPlan = RealPlan()

    @property
    def steps(self) -> int:
        """How many measurements the simulated part has."""
        flooded = sum(size <= self.most_flooded for size in self.sizes)
        return len(self.sizes) + flooded + len(self.failing) + len(self.crowds)


FULL = Plan(
    sizes=(8, 16, 32, 64, 100, 128, 200, 256, 512, 1024),
    lone=100,
    subscriptions=10,
    events=100,
    failing=(20, 50, 100, 256, 512),
)
QUICK = Plan(
    sizes=(8, 16, 24, 32, 64),
    lone=50,
    subscriptions=5,
    events=40,
    failing=(20, 40),
    real=RealPlan(super_peers=4, rates=(20.0,), seconds=3.0, others=2),
)
