"""Storage: the quadruples of a node's zones, the events that they are of, and the node's journal.

Quadruples may be many more than memory holds, so they are in the storage only. A quadruple is its point: the
coordinates are its terms as canonical N-Triples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from triplewire.network.can.geometry.space import Box, Point
from triplewire.network.can.journal import Journal


class SpaceStorage(Journal, Protocol):
    """One transaction at a time: changes are seen at once, are on the disk after `commit`, and go with a crash."""

    def add_event(self, event: str, header: bytes, horizon: Mapping[str, int]) -> bool:
        """An event by its IRI, with the positions in logs that it follows; whether it is new. The first one stays."""
        ...

    def event(self, event: str) -> bytes | None:
        """The header of an event."""
        ...

    def events_following(self, log: str, position: int) -> Iterator[bytes]:
        """The headers of events whose horizon in a log is at this position or later."""
        ...

    def remove_event(self, event: str) -> None:
        """Forget the header of an event."""
        ...

    def add_quads(self, points: Sequence[Point]) -> list[Point]:
        """Store quadruples; returns those that were not there."""
        ...

    def quads(self, box: Box, after: Point | None = None, limit: int | None = None) -> list[Point]:
        """The quadruples in a box, in the order of points; at most `limit`, from behind `after` on."""
        ...

    def quads_in(self, boxes: Iterable[Box], after: Point | None = None, limit: int | None = None) -> list[Point]:
        """The same for several boxes together, each quadruple once. Many boxes that differ in a constant are cheap."""
        ...

    def count(self, box: Box) -> int:
        """How many quadruples a box has. Asked with every heartbeat for the same boxes, so it has to be cheap."""
        ...

    def remove_quads(self, box: Box) -> int:
        """Remove the quadruples in a box; returns how many there were."""
        ...

    def commit(self) -> None:
        """Make sure of all changes so far.

        Raises DiskFull: then all changes are still seen, more may follow, and a later commit makes sure of them all; a
        crash before it loses them. Raises StoreFailed, now and ever after: then nothing of them is certain.
        """
        ...
