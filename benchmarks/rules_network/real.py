"""A cascade over three super-peers of eight real processes: HTTP in at the first, a notification out at the third.

Super-peers have topics as in the simulated networks, each in its own living graph. An update at the first one fires a
rule whose actions are executed at the second; that fires a rule whose condition asks the third and whose actions are
executed there, where a view of what is marked is told. A delay is from when the update was due until its notification
was heard: the requests, every write to a disk, every message and the delivery are in it.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import Struct

from benchmarks.node.hearing import Delays
from benchmarks.node.http import Connection
from benchmarks.rules_network import workload
from benchmarks.rules_network.plans import RealPlan
from triplewire.cli.network.processes import SuperPeerProcess, network
from triplewire.federation.sites.terms import text_of

_RDFTL = "text/x-triplewire-rdftl"
_NTRIPLES = "application/n-triples"
_JSON = "application/json"
_SPARQL = "application/sparql-query"
_DATA = b"data: "
_VALUE = re.compile(rb'"added":\[\{[^]]*?"value":\{[^}]*?"value":"([0-9]+)"')
_UNKNOWN = b"unknown-name"
_RULES = "/rules/{}?scope=network"
_TICKS = os.sysconf("SC_CLK_TCK")
_READY_SECONDS = 90.0
_LOOK_SECONDS = 0.5
_IDLE_SECONDS = 3.0
_LAST_SECONDS = 10.0
_FIRINGS = 2
"""Of an update: at the first super-peer, and at the second."""

Tell = Callable[[str], None]


class Cascade(Struct, frozen=True):
    """Delays in seconds. The processor's time is that of all processes, less what they use when nothing happens."""

    super_peers: int
    updates_per_second: float
    updates: int
    told: int
    p50: float
    p99: float
    most: float
    registrations_per_second: float
    cpu_a_firing: float
    idle_cores: float


def measure_real(plan: RealPlan, tell: Tell) -> Cascade:
    """Start the processes, update, listen, register, and end them."""
    with (
        tempfile.TemporaryDirectory(prefix="triplewire-bench-") as folder,
        network(Path(folder), plan.super_peers, tell) as processes,
    ):
        return asyncio.run(_measure(plan, processes, tell))


async def _measure(plan: RealPlan, processes: Sequence[SuperPeerProcess], tell: Tell) -> Cascade:
    for topic, process in enumerate(processes):
        async with _connected(process) as connection:
            await _furnish(connection, topic)
    tell("waiting until all know the schema of all")
    for process, (name, text) in zip(processes, _rules(), strict=False):
        async with _connected(process) as connection:
            await _put_rule(connection, name, text)
    delays = Delays([])
    listener = asyncio.create_task(_listen(processes[2], delays))
    try:
        async with _connected(processes[0]) as connection:
            await _ready(connection, delays)
        idle = await _idle(processes)
        tell(f"{plan.updates_per_second:g} updates a second")
        cpu = await _at_rate(plan, processes, delays, idle)
    finally:
        listener.cancel()
        await asyncio.gather(listener, return_exceptions=True)
    tell(f"{plan.registrations} registrations")
    registrations = await _registrations(plan, processes)
    updates = int(plan.updates_per_second * plan.seconds)
    return Cascade(
        plan.super_peers,
        plan.updates_per_second,
        updates,
        len(delays.seconds),
        delays.quantile(0.5),
        delays.quantile(0.99),
        max(delays.seconds, default=float("nan")),
        registrations,
        cpu / (_FIRINGS * updates),
        idle,
    )


@asynccontextmanager
async def _connected(process: SuperPeerProcess) -> AsyncIterator[Connection]:
    """A connection for one thing: a node ends those that are idle for long."""
    connection = await Connection.open(process.port)
    try:
        yield connection
    finally:
        connection.close()


# Before it begins


async def _furnish(connection: Connection, topic: int) -> None:
    """A super-peer with a topic of its own, open to all."""
    schema = text_of(workload.schema(topic).triples).encode()
    await connection.wanted(204, "PUT", "/schema", _NTRIPLES, schema)
    data = text_of(workload.triples(topic)).encode()
    await connection.wanted(200, "POST", "/graph?default", _NTRIPLES, data)
    await connection.wanted(204, "PUT", "/privileges", _JSON, json.dumps({"otherwise": "read-write"}).encode())
    if topic == 2:
        await connection.wanted(201, "PUT", "/views/marked", _SPARQL, _marked(topic))


def _marked(topic: int) -> bytes:
    return f"SELECT ?item ?value WHERE {{ ?item <{workload.EX}mark{topic}> ?value }}".encode()


def _rules() -> list[tuple[str, str]]:
    """The rules of the cascade, each for the super-peer with its topic."""
    return [("link0", workload.link_text(0)), ("last1", workload.last_text(1))]


async def _put_rule(connection: Connection, name: str, text: str) -> None:
    """Register a rule as soon as its names are known."""
    deadline = time.monotonic() + _READY_SECONDS
    while True:
        status, answer = await connection.request("PUT", _RULES.format(name), _RDFTL, text.encode())
        if status == 201:
            return
        if _UNKNOWN not in answer or time.monotonic() > deadline:
            raise RuntimeError(f"wanted a rule, found {status}: {answer.decode(errors='replace')}")
        await asyncio.sleep(_LOOK_SECONDS)


async def _ready(connection: Connection, delays: Delays) -> None:
    """Update until something is heard: by then everybody has heard of the rules and of what others offer."""
    deadline = time.monotonic() + _READY_SECONDS
    while not delays.seconds:
        if time.monotonic() > deadline:
            raise RuntimeError("wanted a notification at the third super-peer, found none")
        await _update(connection, time.monotonic_ns())
        await asyncio.sleep(_LOOK_SECONDS)
    await asyncio.sleep(_LOOK_SECONDS)


# What is measured


async def _at_rate(plan: RealPlan, processes: Sequence[SuperPeerProcess], delays: Delays, idle: float) -> float:
    """Update at a rate; returns the seconds of the processors that the firings took."""
    await _updates(plan, processes[0], plan.warm)
    await asyncio.sleep(_IDLE_SECONDS)
    delays.seconds.clear()
    wanted = int(plan.updates_per_second * plan.seconds)
    begun, before = time.monotonic(), _cpu(processes)
    await _updates(plan, processes[0], wanted)
    deadline = time.monotonic() + _LAST_SECONDS
    while len(delays.seconds) < wanted and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    return _cpu(processes) - before - idle * (time.monotonic() - begun)


async def _updates(plan: RealPlan, process: SuperPeerProcess, count: int) -> None:
    """Each with the time at which it was due, also if those before it took longer."""
    begun = time.monotonic_ns()
    async with _connected(process) as connection:
        for number in range(count):
            due = begun + int(number * 1e9 / plan.updates_per_second)
            await asyncio.sleep(max(0.0, (due - time.monotonic_ns()) / 1e9))
            await _update(connection, due)


async def _update(connection: Connection, value: int) -> None:
    await connection.wanted(200, "POST", "/updates", _RDFTL, workload.update_text(0, value).encode())


async def _registrations(plan: RealPlan, processes: Sequence[SuperPeerProcess]) -> float:
    """Registrations a second over all super-peers, one at a time at each."""
    numbers = iter(range(plan.registrations))

    async def register(topic: int, process: SuperPeerProcess) -> None:
        async with _connected(process) as connection:
            for number in numbers:
                text = workload.other_text(topic, number).encode()
                await connection.wanted(201, "PUT", _RULES.format(f"other{number}"), _RDFTL, text)

    begun = time.monotonic()
    await asyncio.gather(*(register(topic, process) for topic, process in enumerate(processes)))
    return plan.registrations / (time.monotonic() - begun)


async def _listen(process: SuperPeerProcess, delays: Delays) -> None:
    """Hear what is marked."""
    async with _connected(process) as connection:
        await connection.begin_stream("/views/marked/notifications")
        async for line in connection.lines():
            found = _VALUE.search(line) if line.startswith(_DATA) else None
            if found is not None:
                delays.seconds.append((time.monotonic_ns() - int(found[1])) / 1e9)


async def _idle(processes: Sequence[SuperPeerProcess]) -> float:
    """How many cores the processes use when nothing happens: heartbeats, exchanges, timers."""
    begun, before = time.monotonic(), _cpu(processes)
    await asyncio.sleep(_IDLE_SECONDS)
    return (_cpu(processes) - before) / (time.monotonic() - begun)


def _cpu(processes: Sequence[SuperPeerProcess]) -> float:
    """The processor's time that they have used so far, without that of their replicas."""
    fields = (Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split() for process in processes)
    return sum(int(some[11]) + int(some[12]) for some in fields) / _TICKS
