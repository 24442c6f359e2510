"""How soon a subscriber at the far end of a network of real processes is told.

Eight super-peers on loopback. One peer publishes at one access point over HTTP, another listens by server-sent events
at an access point that is as many hops away as the cube allows. A delay is from when an event was due to be published
until its notification was heard: the request, the write to the disk, every hop, the write at the other access point
and the delivery are in it. At the same time subscriptions that do not match stand at every access point.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import uuid4

from msgspec import Struct

from benchmarks.node.hearing import Delays
from benchmarks.node.http import Connection
from benchmarks.node.payloads import payloads, query
from triplewire.cli.network.processes import SuperPeerProcess, network, settle
from triplewire.network.hypercube.cube import Cube

_SPARQL = "application/sparql-query"
_NQUADS = "application/n-quads"
_VALUE = b'"value":"'
_READY_SECONDS = 60.0
_LAST_SECONDS = 3.0


class Rate(Struct, frozen=True):
    """What was heard at one rate of publishing."""

    events_per_second: float
    hops: int
    published: int
    heard: int
    p50: float
    p99: float
    most: float


class RealPlan(Struct, frozen=True):
    """How many super-peers, and how much is published at which rates."""

    super_peers: int = 8
    rates: tuple[float, ...] = (10.0, 100.0, 250.0)
    seconds: float = 15.0
    others: int = 20


def measure_real(plan: RealPlan, tell: Callable[[str], None]) -> list[Rate]:
    """Start the processes, publish, listen, and end them."""
    with (
        tempfile.TemporaryDirectory(prefix="triplewire-bench-") as folder,
        network(Path(folder), plan.super_peers, tell) as processes,
    ):
        near, far, hops = _farthest(processes)
        return asyncio.run(_measure(plan, processes, near, far, hops, tell))


def _farthest(processes: Sequence[SuperPeerProcess]) -> tuple[SuperPeerProcess, SuperPeerProcess, int]:
    """Two that are as far from each other as any two are, and how far."""
    by_place = {view.slot: process for process, view in zip(processes, settle(processes), strict=True)}
    cube = Cube(len(processes))
    hops, near, far = max((_hops(cube, far, near), near, far) for near in by_place for far in by_place if near != far)
    return by_place[near], by_place[far], hops


def _hops(cube: Cube, place: int, other: int) -> int:
    hops = 0
    while place != other:
        place = cube.next_towards(place, other)
        hops += 1
    return hops


async def _measure(
    plan: RealPlan,
    processes: Sequence[SuperPeerProcess],
    near: SuperPeerProcess,
    far: SuperPeerProcess,
    hops: int,
    tell: Callable[[str], None],
) -> list[Rate]:
    for place, process in enumerate(processes):
        for number in range(plan.others):
            await _subscribe(process.port, f"other{number}", query(1_000 + place * plan.others + number))
    await _subscribe(far.port, "far", query(0))
    delays = Delays()
    listener = asyncio.create_task(_listen(far.port, delays))
    publisher = await Connection.open(near.port)
    try:
        await _ready(publisher, delays)
        rates = []
        for rate in plan.rates:
            tell(f"publishing {rate:g} events a second over {hops} hops")
            rates.append(await _at_rate(publisher, delays, rate, plan.seconds, hops))
        return rates
    finally:
        publisher.close()
        listener.cancel()
        await asyncio.gather(listener, return_exceptions=True)


async def _ready(publisher: Connection, delays: Delays) -> None:
    """Publish until something is heard: by then the publisher is advertised and the subscription has come to it."""
    deadline = time.monotonic() + _READY_SECONDS
    while not delays.seconds:
        if time.monotonic() > deadline:
            raise RuntimeError("wanted a notification at the far end, found none")
        await _publish(publisher, uuid4().hex, 0, time.monotonic())
        await asyncio.sleep(0.5)
    await asyncio.sleep(_LAST_SECONDS)


async def _at_rate(publisher: Connection, delays: Delays, rate: float, seconds: float, hops: int) -> Rate:
    delays.seconds.clear()
    begun, name, published = time.monotonic(), uuid4().hex, 0
    while published < rate * seconds:
        due = begun + published / rate
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        await _publish(publisher, name, published, due)
        published += 1
    for _ in range(20):
        if len(delays.seconds) >= published:
            break
        await asyncio.sleep(_LAST_SECONDS / 20)
    return Rate(
        rate, hops, published, len(delays.seconds), delays.quantile(0.5), delays.quantile(0.99), max(delays.seconds)
    )


async def _publish(publisher: Connection, name: str, number: int, due: float) -> None:
    (event,) = payloads(name, number, 1, kinds=1, due=due)
    await publisher.wanted(201, "POST", "/events", _NQUADS, event.nquads)


async def _subscribe(port: int, name: str, text: str) -> None:
    connection = await Connection.open(port)
    try:
        await connection.wanted(201, "PUT", f"/subscriptions/{name}", _SPARQL, text.encode())
    finally:
        connection.close()


async def _listen(port: int, delays: Delays) -> None:
    connection = await Connection.open(port)
    await connection.begin_stream("/subscriptions/far/notifications")
    async for line in connection.lines():
        start = line.find(_VALUE)
        if line.startswith(b"data: ") and start >= 0:
            start += len(_VALUE)
            delays.hear(float(line[start : line.index(b'"', start)]))
