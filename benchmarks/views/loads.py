"""Writers over HTTP, each with a connection of its own: as fast as they are answered, or by the clock.

By the clock, updates come at random moments, as those of many independent senders do. A writer that still waits for an
answer sends late, but the time of an update runs from when it was due.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

from benchmarks.node.http import Connection
from benchmarks.views.library import Desk
from benchmarks.views.node import Node, Shelf

_SEED = 5
_SECOND = 1_000_000_000
_OK, _REFUSED, _MOST_TRIES = 200, 503, 5


class Acknowledged(Struct, frozen=True):
    """An update that the node has acknowledged: its position in the journal, and the shelf whose view it touches."""

    position: int
    shelf: Shelf


class Pace(Struct, frozen=True):
    """Updates a second, and what each took of the node's processor time, in microseconds."""

    rate: float
    cpu_micros: float


class Writers:
    """Writers to one node. They keep what was acknowledged."""

    def __init__(self, node: Node, count: int) -> None:
        self.acknowledged: list[Acknowledged] = []
        # Those that had to be sent again.
        self.refused = 0
        self._node = node
        self._count = count
        self._desk = Desk()
        self._turn = 0

    async def closed_loop(self, shelves: Sequence[Shelf], seconds: float) -> Pace:
        """As fast as they are answered; the updates go to one shelf after the other."""
        started, cpu, before = time.monotonic(), self._node.cpu_seconds, len(self.acknowledged)
        until = started + seconds

        async def write(connection: Connection) -> None:
            while time.monotonic() < until:
                await self._write(connection, self._next(shelves))

        await self._with_connections(write)
        count = len(self.acknowledged) - before
        passed, used = time.monotonic() - started, self._node.cpu_seconds - cpu
        return Pace(count / passed, 1e6 * used / count)

    async def open_loop(self, shelves: Sequence[Shelf], rate: float, seconds: float) -> float:
        """At a rate; returns the one at which updates were acknowledged."""
        started = time.monotonic_ns()
        moments = [started + int(moment * _SECOND) for moment in _moments(rate, seconds)]
        waiting = iter(moments)

        async def write(connection: Connection) -> None:
            for due in waiting:
                await asyncio.sleep(max(0, due - time.monotonic_ns()) / _SECOND)
                await self._write(connection, self._next(shelves), due)

        await self._with_connections(write)
        return len(moments) / max((time.monotonic_ns() - started) / _SECOND, seconds)

    def _next(self, shelves: Sequence[Shelf]) -> Shelf:
        self._turn += 1
        return shelves[self._turn % len(shelves)]

    async def _write(self, connection: Connection, shelf: Shelf, due: int | None = None) -> None:
        text = self._desk.update(shelf.kind, shelf.number, due)
        answer = await self._answered(connection, text.encode())
        self.acknowledged.append(Acknowledged(json.loads(answer)["position"], shelf))

    async def _answered(self, connection: Connection, update: bytes) -> bytes:
        """The answer; an update that took too long beside other work changed nothing, and is sent again."""
        for _ in range(_MOST_TRIES):
            status, answer = await connection.request("POST", "/update", "application/sparql-update", update)
            if status != _REFUSED:
                break
            self.refused += 1
        if status != _OK:
            raise RuntimeError(f"an update: wanted {_OK}, found {status}: {answer.decode(errors='replace')}")
        return answer

    async def _with_connections(self, write: Callable[[Connection], Awaitable[None]]) -> None:
        connections = await self._node.connections(self._count)
        await asyncio.gather(*map(write, connections))
        for connection in connections:
            connection.close()


def _moments(rate: float, seconds: float) -> list[float]:
    chance = random.Random(_SEED)
    moments = [chance.expovariate(rate)]
    while moments[-1] < seconds:
        moments.append(moments[-1] + chance.expovariate(rate))
    return moments[:-1]
