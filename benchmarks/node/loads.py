"""Publishers: as fast as they are answered, or by the clock.

By the clock, requests come at random moments, as those of many independent senders do, and are dealt to publishers in
turn. A publisher that still waits for an answer sends late, but an event's time runs from when it was due: a broker
that falls behind cannot hide it by slowing its publishers down.
"""

from __future__ import annotations

import asyncio
import random
import time

from msgspec import Struct

from benchmarks.node.carrier import Carrier, Publisher
from benchmarks.node.payloads import payloads

_SEED = 5


class Load(Struct, frozen=True):
    """Who publishes how: so many publishers, so many events a request, for so long."""

    publishers: int
    batch: int
    seconds: float


async def closed_loop(carrier: Carrier, run: str, load: Load) -> float:
    """Events a second that were acknowledged, each publisher sending as soon as it is answered."""
    publishers = [await carrier.publisher() for _ in range(load.publishers)]
    started = time.monotonic()
    until = started + load.seconds
    sending = [
        _publish_until(one, f"{run}:{n}", carrier.subscriptions, load.batch, until) for n, one in enumerate(publishers)
    ]
    counts = await asyncio.gather(*sending)
    seconds = time.monotonic() - started
    for one in publishers:
        one.close()
    return sum(counts) / seconds


async def _publish_until(publisher: Publisher, name: str, kinds: int, batch: int, until: float) -> int:
    sent = 0
    while (now := time.monotonic()) < until:
        await publisher.publish(payloads(name, sent, batch, kinds, now))
        sent += batch
    return sent


async def open_loop(carrier: Carrier, run: str, load: Load, rate: float) -> float:
    """Publish at a rate; returns the rate at which events were acknowledged."""
    publishers = [await carrier.publisher() for _ in range(load.publishers)]
    started = time.monotonic()
    moments = [started + moment for moment in _moments(rate / load.batch, load.seconds)]
    sending = [
        _publish_at(one, f"{run}:{n}", carrier.subscriptions, load.batch, moments[n :: load.publishers])
        for n, one in enumerate(publishers)
    ]
    await asyncio.gather(*sending)
    seconds = max(time.monotonic() - started, load.seconds)
    for one in publishers:
        one.close()
    return len(moments) * load.batch / seconds


def _moments(rate: float, seconds: float) -> list[float]:
    chance = random.Random(_SEED)
    moments = [chance.expovariate(rate)]
    while moments[-1] < seconds:
        moments.append(moments[-1] + chance.expovariate(rate))
    return moments[:-1]


async def _publish_at(publisher: Publisher, name: str, kinds: int, batch: int, moments: list[float]) -> None:
    for number, due in enumerate(moments):
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        await publisher.publish(payloads(name, number * batch, batch, kinds, due))
