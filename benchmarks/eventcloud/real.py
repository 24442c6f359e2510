"""The same workload on real processes, CSMA and OSMA one after the other, and one plain node beside them.

Nodes have a data folder each, and share the machine's cores with the load. The first one stores some events before the
others join, so that zones are split at the median of data. A request is answered when all in it is stored and
replicated. Runs on one space follow each other: storing alone, then the subscriptions, which are removed again.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.eventcloud.load import Load, measured
from benchmarks.eventcloud.outcomes import CSMA, PLAIN, STRATEGIES, Outcome
from benchmarks.eventcloud.plans import RealPlan
from benchmarks.eventcloud.processes import plain_node, space_of
from benchmarks.eventcloud.workload import Workload

Tell = Callable[[str], object]


def measured_real(plan: RealPlan, sizes: Sequence[int], tell: Tell) -> list[Outcome]:
    """Spaces of some sizes with each strategy; before the smallest of the plan, a plain node."""
    found = _measured_plain(plan, tell) if min(plan.nodes) in sizes else []
    for nodes in sizes:
        for strategy in STRATEGIES:
            tell(f"starting {nodes} nodes, {strategy.upper()}")
            with (
                tempfile.TemporaryDirectory(prefix="triplewire-bench-") as folder,
                space_of(Path(folder), nodes, strategy, lambda port: asyncio.run(_settle(plan, port))) as ports,
            ):
                found += asyncio.run(_runs(plan, strategy, ports, tell))
    return found


def without_sizes(outcomes: Sequence[Outcome], plan: RealPlan, sizes: Sequence[int]) -> list[Outcome]:
    """What was measured before, but for what these sizes measure anew."""
    is_plain_anew = min(plan.nodes) in sizes
    return [one for one in outcomes if (not is_plain_anew if one.strategy == PLAIN else one.nodes not in sizes)]


def _measured_plain(plan: RealPlan, tell: Tell) -> list[Outcome]:
    with tempfile.TemporaryDirectory(prefix="triplewire-bench-") as folder, plain_node(Path(folder)) as port:
        return asyncio.run(_runs(plan, PLAIN, [port], tell))


async def _settle(plan: RealPlan, port: int) -> None:
    """Data by which zones are split, and at which everything that compiles itself has done so."""
    load = Load(plan.settling, publishers=2, batch=plan.batch)
    await measured([port], port, Workload(subscriptions=0, seed=1), load)


async def _runs(plan: RealPlan, strategy: str, ports: Sequence[int], tell: Tell) -> list[Outcome]:
    if strategy == PLAIN:
        await _settle(plan, ports[0])
    workloads = [
        ("nodes", Workload(subscriptions=0, seed=2)),
        ("a", Workload(seed=3)),
        ("d", Workload(accepts_all=True, seed=4)),
    ]
    if strategy == PLAIN or len(ports) == max(plan.nodes):
        workloads += [("c", Workload(subscriptions=count, seed=5 + count)) for count in plan.subscriptions]
    return [await _run(plan, name, strategy, ports, workload, tell) for name, workload in workloads]


async def _run(
    plan: RealPlan, experiment: str, strategy: str, ports: Sequence[int], workload: Workload, tell: Tell
) -> Outcome:
    events = plan.csma_events if strategy == CSMA else plan.events
    load = Load(events, publishers=plan.publishers, batch=plan.batch)
    found = await measured(ports, ports[-1], workload, load)
    outcome = Outcome(experiment, strategy, len(ports), workload.subscriptions, events, found.throughput, found.stored)
    tell(
        f"({experiment}) {strategy}, {len(ports)} processes, {workload.subscriptions} subscriptions: "
        f"{found.throughput:,.0f} events/s notified, {outcome.stored_per_second:,.0f} stored"
    )
    return outcome
