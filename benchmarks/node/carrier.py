"""What a broker under test must be able to do; the same load drives each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from benchmarks.node.payloads import Payload

# Called with the moment at which an event was due, for every notification that arrives.
Hear = Callable[[float], None]


class Publisher(Protocol):
    """One connection that publishes."""

    async def publish(self, events: Sequence[Payload]) -> None:
        """Send events, and return when all of them are acknowledged."""

    def close(self) -> None: ...


class Carrier(Protocol):
    """A broker that runs, with a subscription to each of so many kinds of events."""

    name: str
    subscriptions: int

    async def publisher(self) -> Publisher: ...

    async def listen(self, kind: int, hear: Hear) -> None:
        """Follow the subscription to a kind, from now on, until cancelled."""
