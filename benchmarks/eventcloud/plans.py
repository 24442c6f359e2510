"""How large a run is. The paper's sizes, and beyond 25 nodes what it could not have."""

from __future__ import annotations

from msgspec import Struct

# The number of peers in the experiments of figure 2 that vary something else.
PAPER_NODES = 25


class RealPlan(Struct, frozen=True):
    """Real processes: how many nodes, and how much is published by how many publishers in requests of how many."""

    nodes: tuple[int, ...] = (1, 2, 4, 8)
    events: int = 3_000
    csma_events: int = 1_500
    subscriptions: tuple[int, ...] = (1, 60)
    publishers: int = 16
    batch: int = 50
    settling: int = 400
    """Events that are stored before others join, so that zones are split at the median of data."""


class Plan(Struct, frozen=True):
    """`events` are those of experiment (a), `other_events` those of the others that do not vary them.

    `large_events`, beyond 25 nodes, and `csma_publications` are what the simulator can do in sensible time.
    """

    nodes: tuple[int, ...]
    events: int
    other_events: int
    large_events: int
    publications: tuple[int, ...]
    csma_publications: int
    subscriptions: tuple[int, ...]
    measured_events: int
    real: RealPlan
    fixed_nodes: int = PAPER_NODES

    def events_at(self, nodes: int, events: int) -> int:
        return events if nodes <= PAPER_NODES else self.large_events


FULL = Plan(
    nodes=(1, 2, 4, 8, 16, 25, 64, 128, 256),
    events=3_000,
    other_events=3_000,
    large_events=1_000,
    publications=(3_000, 9_000, 15_000, 21_000, 30_000),
    csma_publications=9_000,
    subscriptions=(1, 5, 10, 20, 40, 60),
    measured_events=300,
    real=RealPlan(),
)
SHORT = Plan(
    nodes=(1, 8, 25, 64, 256),
    events=3_000,
    other_events=300,
    large_events=150,
    publications=(300, 1_000, 3_000),
    csma_publications=3_000,
    subscriptions=(1, 20, 60),
    measured_events=60,
    real=RealPlan(),
)
QUICK = Plan(
    nodes=(1, 4, 8, 25),
    events=200,
    other_events=200,
    large_events=200,
    publications=(200, 400),
    csma_publications=400,
    subscriptions=(1, 10),
    measured_events=60,
    real=RealPlan(nodes=(1, 2), events=300, csma_events=300, subscriptions=(1, 10), publishers=2, settling=50),
    fixed_nodes=8,
)
