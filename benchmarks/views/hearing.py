"""Readers of event streams, one a view, and how long each notification took from when its update was due."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from benchmarks.node.hearing import Delays
from benchmarks.node.http import Connection
from benchmarks.views.node import Node, Shelf

_SETTLE_SECONDS = 1.0
_MOST_QUIET = 20
_DATA = b"data: "
# Of the value that was added: what was removed stands behind it.
_DUE = re.compile(rb'"added":\[\{[^]]*?"status":\{[^}]*?"value":"([0-9]+)"')


class Heard:
    """What readers have been told."""

    def __init__(self) -> None:
        self.delays = Delays([])

    def hear(self, line: bytes) -> None:
        found = _DUE.search(line)
        if found is None:
            raise RuntimeError(f"wanted a status that was added, found {line.decode(errors='replace')}")
        self.delays.seconds.append((time.monotonic_ns() - int(found[1])) / 1e9)


@asynccontextmanager
async def listening(node: Node, shelves: Sequence[Shelf], after: int) -> AsyncIterator[Heard]:
    """Connected readers, one to the view of each shelf, of what follows a position; what is under way is waited for."""
    heard, begun = Heard(), asyncio.Semaphore(0)
    tasks = [asyncio.create_task(_follow(node, shelf, after, heard, begun)) for shelf in shelves]
    for _ in tasks:
        await begun.acquire()
    try:
        yield heard
        await _quiet(heard)
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    broken = [problem for problem in ended if isinstance(problem, Exception)]
    if broken:
        raise broken[0]


async def _follow(node: Node, shelf: Shelf, after: int, heard: Heard, begun: asyncio.Semaphore) -> None:
    connection = await Connection.open(node.port)
    try:
        await connection.begin_stream(f"/views/{shelf.view}/notifications?after={after}")
        begun.release()
        async for line in connection.lines():
            if line.startswith(_DATA):
                heard.hear(line)
    finally:
        begun.release()
        connection.close()


async def _quiet(heard: Heard) -> None:
    """Wait until nothing comes any more."""
    count = -1
    for _ in range(_MOST_QUIET):
        if count == len(heard.delays.seconds):
            return
        count = len(heard.delays.seconds)
        await asyncio.sleep(_SETTLE_SECONDS)
