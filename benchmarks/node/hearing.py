"""Subscribers, and how long each notification took from when its event was due."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from msgspec import Struct

from benchmarks.node.carrier import Carrier

_SETTLE_SECONDS = 1.0


class Delays(Struct):
    """Seconds from due to heard."""

    seconds: list[float] = []

    def hear(self, due: float) -> None:
        self.seconds.append(time.monotonic() - due)

    def quantile(self, part: float) -> float:
        """
        >>> Delays([3.0, 1.0, 2.0]).quantile(0.5)
        2.0
        """
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else float("nan")


@asynccontextmanager
async def listening(carrier: Carrier, kinds: Iterable[int]) -> AsyncIterator[Delays]:
    """Connected subscribers, one to each of these kinds; what is under way at the end is waited for."""
    delays = Delays()
    tasks = [asyncio.create_task(carrier.listen(kind, delays.hear)) for kind in kinds]
    await asyncio.sleep(_SETTLE_SECONDS)
    try:
        yield delays
        await _quiet(delays)
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    broken = [problem for problem in ended if isinstance(problem, Exception)]
    if broken:
        raise broken[0]


async def _quiet(delays: Delays) -> None:
    heard = -1
    while heard < len(delays.seconds):
        heard = len(delays.seconds)
        await asyncio.sleep(_SETTLE_SECONDS)
