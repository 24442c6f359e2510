"""A workload: subscriptions as rows of text, events as N-Quads, both made on demand and the same for the same seed.

Nothing is kept: each call makes the stream anew, a chunk at a time, so that a million subscriptions need no memory but
the one that is looked at. Subscriptions and events come from separate streams of random numbers: asking for more events
changes no subscription.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.rdf.events import Event
from triplewire.rdf.terms import Namespace

EX = Namespace("http://example.org/")
INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"
CHUNK = 65_536


class Row(NamedTuple):
    """A subscription as it stands in a bulk file."""

    id: str
    language: str
    text: str


class Workload(Struct, frozen=True):
    """Two streams, and the taxonomy that the subscriptions refer to, in Turtle."""

    name: str
    rows: Callable[[], Iterator[Row]]
    payloads: Callable[[], Iterator[bytes]]
    taxonomy: str | None = None

    def subscriptions(self) -> Iterator[Subscription]:
        """The rows, parsed."""
        return (Subscription.parse(text, language, id=name) for name, language, text in self.rows())

    def events(self) -> Iterator[Event]:
        """The payloads, parsed; each is one event."""
        return (event for payload in self.payloads() for event in Event.parse(payload))

    def nquads(self, separator: bytes = b"") -> bytes:
        """All events in one document; `separator` stands between two of them: a line feed makes a blank line."""
        return separator.join(self.payloads())


def stream(seed: int, name: str) -> np.random.Generator:
    """Random numbers for one purpose: the same for the same seed and name, on every machine."""
    return np.random.Generator(np.random.PCG64([seed, *name.encode()]))


def chunks(total: int) -> Iterator[range]:
    """The numbers below `total`, some at a time."""
    return (range(start, min(start + CHUNK, total)) for start in range(0, total, CHUNK))
