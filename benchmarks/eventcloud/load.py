"""Publishers and a subscriber over HTTP, as a user would: what real processes are measured with.

Each publisher sends requests of some events, to all nodes in turn, as soon as its last was answered. The subscriber
follows each of its subscriptions at one node by server-sent events, and counts each event once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from benchmarks.eventcloud.workload import Workload
from benchmarks.node.http import Connection

_SPARQL, _NQUADS = "application/sparql-query", "application/n-quads"
_DATA, _EVENT = b"data: ", b'"event":"'
_LONGEST_WAIT = 300.0
_CREATED, _UNAVAILABLE = 201, 503
_LOOK_SECONDS = 0.01


class Load(Struct, frozen=True):
    """So many events, from a number on, by so many publishers in requests of so many."""

    events: int
    first: int = 0
    publishers: int = 8
    batch: int = 25


class Measured(Struct, frozen=True):
    """The subscriber's throughput (footnote 2), and the seconds until all events were acknowledged."""

    throughput: float
    stored: float


class Heard(Struct):
    """When each event was notified."""

    moments: dict[bytes, float] = field(default_factory=dict)

    def hear(self, event: bytes) -> None:
        self.moments.setdefault(event, time.monotonic())

    @property
    def throughput(self) -> float:
        """
        >>> Heard({b"e1": 1.0, b"e2": 1.5, b"e3": 2.0}).throughput
        3.0
        """
        moments = self.moments.values()
        return len(moments) / (max(moments) - min(moments)) if len(moments) > 1 else 0.0


async def measured(ports: Sequence[int], subscriber: int, workload: Workload, load: Load) -> Measured:
    """Subscribe, publish, and wait for the last notification."""
    heard = Heard()
    names = await _subscribe(subscriber, workload) if workload.subscriptions else []
    listeners = [asyncio.create_task(_listen(subscriber, name, heard)) for name in names]
    try:
        began = time.monotonic()
        await _publish(ports, workload, load)
        stored = time.monotonic() - began
        if names:
            await _hear_all(heard, load.events, listeners)
    finally:
        for listener in listeners:
            listener.cancel()
        await asyncio.gather(*listeners, return_exceptions=True)
    await _unsubscribe(subscriber, names)
    return Measured(heard.throughput, stored)


async def _subscribe(port: int, workload: Workload) -> list[str]:
    connection = await Connection.open(port)
    queries = workload.queries()
    for query in queries:
        await connection.wanted(201, "PUT", f"/subscriptions/{query.id}", _SPARQL, query.text.encode())
    connection.close()
    return [query.id for query in queries]


async def _unsubscribe(port: int, names: Sequence[str]) -> None:
    connection = await Connection.open(port)
    for name in names:
        await connection.wanted(204, "DELETE", f"/subscriptions/{name}", "", b"")
    connection.close()


async def _publish(ports: Sequence[int], workload: Workload, load: Load) -> None:
    requests = _requests(workload, load)
    await asyncio.gather(*(_publisher(ports, number, requests) for number in range(load.publishers)))


async def _publisher(ports: Sequence[int], number: int, requests: Iterator[bytes]) -> None:
    """Takes the next request whenever the last was answered; all publishers share them."""
    connections = [await Connection.open(port) for port in ports]
    for turn, body in enumerate(requests, start=number):
        await _post(connections[turn % len(connections)], body)
    for connection in connections:
        connection.close()


async def _post(connection: Connection, body: bytes) -> None:
    """Publish, and again what the space has not stored in time, as a client is told to: that changes nothing."""
    status, answer = await connection.request("POST", "/events", _NQUADS, body)
    while status == _UNAVAILABLE:
        status, answer = await connection.request("POST", "/events", _NQUADS, body)
    if status != _CREATED:
        raise RuntimeError(f"POST /events: wanted {_CREATED}, found {status}: {answer.decode(errors='replace')}")


def _requests(workload: Workload, load: Load) -> Iterator[bytes]:
    made = list(workload.nquads(load.first, load.events))
    return iter([b"".join(made[at : at + load.batch]) for at in range(0, len(made), load.batch)])


async def _listen(port: int, name: str, heard: Heard) -> None:
    connection = await Connection.open(port)
    await connection.begin_stream(f"/subscriptions/{name}/notifications")
    async for line in connection.lines():
        if line.startswith(_DATA):
            start = line.index(_EVENT) + len(_EVENT)
            heard.hear(line[start : line.index(b'"', start)])


async def _hear_all(heard: Heard, events: int, listeners: Sequence[asyncio.Task[None]]) -> None:
    deadline = time.monotonic() + _LONGEST_WAIT
    while len(heard.moments) < events:
        broken = [task for task in listeners if task.done()]
        if broken:
            await asyncio.gather(*broken)
        if broken or time.monotonic() > deadline:
            raise RuntimeError(f"wanted {events:,} notifications, found {len(heard.moments):,}")
        await asyncio.sleep(_LOOK_SECONDS)
