"""The five experiments of figure 2, simulated, and a sixth: how storing scales with nodes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from benchmarks.eventcloud.costs import CostModel, Fit, fitted, fsync_seconds
from benchmarks.eventcloud.driving import outcome_of
from benchmarks.eventcloud.outcomes import CSMA, STRATEGIES, Outcome
from benchmarks.eventcloud.plans import Plan
from benchmarks.eventcloud.simulator import Measured, Modelled
from benchmarks.eventcloud.workload import Workload

ONE, ALL, NONE = Workload(), Workload(accepts_all=True), Workload(subscriptions=0)
_MEASURED_NODES = (1, 2, 8)
_MEASURED = (ONE, Workload(subscriptions=20), Workload(patterns=2, quads=9), ALL, NONE)

# From a disk that keeps no promise to a busy one: what was seen on one machine, as others used it more or less.
FSYNCS = (3e-4, 1e-3, 4e-3, 8e-3)

Tell = Callable[[str], object]


class Case(Struct, frozen=True):
    """One run of an experiment."""

    experiment: str
    strategy: str
    workload: Workload
    nodes: int
    events: int

    @property
    def words(self) -> str:
        what = f"{self.workload.subscriptions} subscriptions, {self.events:,} events"
        return f"({self.experiment}) {self.strategy.upper()}, {self.nodes} nodes, {what}"


def model_of_steps(events: int, tell: Tell) -> tuple[CostModel, Fit, Fit]:
    """Run small spaces with storages on the disk, take the time of every step, and fit the model to it."""
    prices = Measured()
    for nodes in _MEASURED_NODES:
        for workload in _MEASURED:
            for strategy in STRATEGIES:
                tell(f"measuring steps, {nodes} nodes, {strategy.upper()}")
                outcome_of("", workload, nodes, strategy, events, prices, durable=True)
    with tempfile.TemporaryDirectory(prefix="triplewire-bench-") as folder:
        return fitted(prices.steps, prices.commits, fsync_seconds(Path(folder)))


def cases(plan: Plan) -> Iterator[Case]:
    """All that a plan has, in the order of the paper's figure."""
    for strategy in STRATEGIES:
        for nodes in plan.nodes:
            yield Case("a", strategy, ONE, nodes, plan.events_at(nodes, plan.events))
        for events in plan.publications:
            if strategy != CSMA or events <= plan.csma_publications:
                yield Case("b", strategy, ONE, plan.fixed_nodes, events)
        for subscriptions in plan.subscriptions:
            yield Case("c", strategy, Workload(subscriptions=subscriptions), plan.fixed_nodes, plan.other_events)
        for nodes in plan.nodes:
            yield Case("d", strategy, ALL, nodes, plan.events_at(nodes, plan.other_events))
        for events in plan.publications:
            yield Case("e", strategy, NONE, plan.fixed_nodes, events)
        for nodes in plan.nodes:
            yield Case("nodes", strategy, NONE, nodes, plan.events_at(nodes, plan.other_events))


class Spread(Struct, frozen=True):
    """Experiment (a) at one size if an fsync took so many seconds, all other costs as fitted."""

    fsync: float
    csma: float
    osma: float

    @property
    def ratio(self) -> float:
        return self.osma / self.csma


def with_fsync(plan: Plan, model: CostModel, fsync: float) -> Spread:
    """How much of the ratio of OSMA to CSMA is the disk's doing."""
    other = replace(model, fsync=fsync)
    csma, osma = (simulated(Case("a", name, ONE, plan.fixed_nodes, plan.events), other) for name in STRATEGIES)
    return Spread(fsync, csma.throughput, osma.throughput)


def key_of(case: Case) -> tuple[object, ...]:
    """What a case measures: two experiments may have the same."""
    return case.strategy, case.workload, case.nodes, case.events


def simulated(case: Case, model: CostModel) -> Outcome:
    return outcome_of(case.experiment, case.workload, case.nodes, case.strategy, case.events, Modelled(model))
