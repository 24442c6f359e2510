"""The measurements, one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import uvloop
from msgspec import Struct

from benchmarks.node.carrier import Carrier
from benchmarks.node.figures import (
    ALONE,
    ASKED_RATE,
    OF_ASKED,
    OURS,
    STOPPED,
    SYNCED,
    UNSYNCED,
    Delay,
    Findings,
    Flood,
    Rate,
)
from benchmarks.node.hearing import listening
from benchmarks.node.loads import Load, closed_loop, open_loop
from benchmarks.node.served import MOST_FLOOD, ServedNode, served
from benchmarks.rivals.jetstream import JetStream
from benchmarks.rivals.jetstream_server import Missing, Running, Sync, jetstream

Tell = Callable[[str], None]
T = TypeVar("T")
_WARM_SECONDS = 2.0
_MANY, _FEW = Load(16, 50, 0), (Load(1, 1, 0), Load(16, 1, 0), Load(64, 1, 0), Load(1, 50, 0), Load(64, 50, 0))


class Plan(Struct, frozen=True):
    """How much is measured: seconds for each figure, and numbers of subscriptions."""

    seconds: float
    subscriptions: int
    many_subscriptions: int
    listened: int
    pairs: int


FULL = Plan(8.0, 1_000, 100_000, 100, 5)
QUICK = Plan(2.0, 200, 2_000, 20, 1)
_SLICES = 3


def measure(plan: Plan, tell: Tell) -> Findings:
    """Measure the node, then its rival."""
    findings = Findings()
    with served(plan.subscriptions) as node:
        _run(_rates(node, OURS, [_MANY, *_FEW], plan, findings, tell))
    # Fresh nodes: the repository of one that has been busy still follows what was published as fast as it could be.
    # F5 and A9 compare two nodes, and a machine's speed drifts by more than what they ask for: so in pairs.
    for _ in range(plan.pairs):
        with served(plan.subscriptions) as node:
            _run(_delays(node, plan, findings, tell))
        with served(plan.subscriptions) as node:
            _run(_delays_beside_a_stopped_reader(node, plan, findings, tell))
    with served(plan.subscriptions) as node:
        findings.delays.append(_run(_delay(node, OURS, OF_ASKED, ASKED_RATE / 2, plan, tell)))
    with served(plan.many_subscriptions) as node:
        _run(_rates(node, OURS, [_MANY], plan, findings, tell))
    for _ in range(plan.pairs):
        tell("A9: others alone, and beside a client with as many match-all subscriptions as it may have")
        with served(plan.subscriptions) as node:
            alone = _run(_slices(node, plan))
        with served(plan.subscriptions, flood=MOST_FLOOD) as node:
            findings.floods.append(Flood(alone, _run(_slices(node, plan))))
    try:
        _measure_rival(plan, findings, tell)
    except Missing as why:
        findings.missing = str(why)
    return findings


def _measure_rival(plan: Plan, findings: Findings, tell: Tell) -> None:
    loads = [load for load in (_MANY, *_FEW) if load.publishers < 64]
    for sync, name, wanted in ((Sync.ALWAYS, SYNCED, loads), (Sync.BY_THE_MINUTE, UNSYNCED, [_MANY])):
        with jetstream(sync) as running:
            findings.durable = findings.durable or f"{running.version}, {running.how}"
            _run(_rival_rates(running, name, wanted, plan, findings, tell))
    # A fresh server: consumers of the one before have a backlog.
    with jetstream(Sync.ALWAYS) as running:
        _run(_rival_delays(running, plan, findings, tell))


async def _rival_rates(
    running: Running, name: str, loads: list[Load], plan: Plan, findings: Findings, tell: Tell
) -> None:
    carrier = await JetStream.furnished(running, plan.subscriptions, plan.listened)
    await _rates(carrier, name, loads, plan, findings, tell)


async def _rival_delays(running: Running, plan: Plan, findings: Findings, tell: Tell) -> None:
    carrier = await JetStream.furnished(running, plan.subscriptions, plan.listened)
    rate = (findings.rate(SYNCED, plan.subscriptions) or 0.0) / 2
    findings.delays.append(await _delay(carrier, SYNCED, "half of its own load", rate, plan, tell))


async def _delays(node: ServedNode, plan: Plan, findings: Findings, tell: Tell) -> None:
    half = (findings.rate(OURS, plan.subscriptions) or 0.0) / 2
    findings.delays.append(await _delay(node, OURS, ALONE, half, plan, tell))


async def _delays_beside_a_stopped_reader(node: ServedNode, plan: Plan, findings: Findings, tell: Tell) -> None:
    half = (findings.rate(OURS, plan.subscriptions) or 0.0) / 2
    before = node.resident_mib
    async with node.stopped_reader():
        findings.delays.append(await _delay(node, OURS, STOPPED, half, plan, tell))
        findings.memory_mib = (before, node.resident_mib)


async def _rates(carrier: Carrier, name: str, loads: list[Load], plan: Plan, findings: Findings, tell: Tell) -> None:
    await closed_loop(carrier, "warm", Load(16, 50, _WARM_SECONDS))
    for load in loads:
        tell(f"{name}, {carrier.subscriptions:,} subscriptions: {load.publishers} publishers, {load.batch} a request")
        timed = Load(load.publishers, load.batch, plan.seconds)
        rate = await closed_loop(carrier, f"{load.publishers}x{load.batch}", timed)
        findings.rates.append(Rate(name, carrier.subscriptions, load.publishers, load.batch, rate))


async def _delay(carrier: Carrier, name: str, case: str, rate: float, plan: Plan, tell: Tell) -> Delay:
    tell(f"{name}, {case}: {rate:,.0f} events/s, {plan.listened} subscribers connected")
    load = Load(_MANY.publishers, _MANY.batch, 2 * plan.seconds)
    async with listening(carrier, range(plan.listened)) as delays:
        carried = await open_loop(carrier, case.replace(" ", "-").replace(",", ""), load, rate)
    p50, p99 = (1000 * delays.quantile(part) for part in (0.5, 0.99))
    return Delay(name, case, rate, carried, len(delays.seconds), p50, p99)


async def _slices(node: ServedNode, plan: Plan) -> list[float]:
    """Events a second from a node's first moment on, in slices: a flood is at its worst in the first one."""
    load = Load(_MANY.publishers, _MANY.batch, plan.seconds / 2)
    return [await closed_loop(node, f"slice{number}", load) for number in range(_SLICES)]


def _run(work: Coroutine[Any, Any, T]) -> T:
    """On an event loop of its own; the node's is of the same kind."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)
