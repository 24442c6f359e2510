"""What the overlay moves between members: the contents of their zones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from triplewire.errors import MessageRefused
from triplewire.network.can.geometry.space import Point, Zone
from triplewire.network.eventspace.chunks import RecordingStorage
from triplewire.network.eventspace.node import SpaceNode
from triplewire.network.eventspace.screening.records import screened


class MemberContents:
    """What the overlay moves: the holder's contents. What it merges and discards is not noted for the replica.

    The overlay sees to it that the replica has what was merged; what was discarded may stay there.
    """

    def __init__(self, node: SpaceNode, storage: RecordingStorage) -> None:
        self.zones: Callable[[], tuple[Zone, ...]] = tuple
        self.has_merged = False
        self.refused: list[MessageRefused] = []
        self._node = node
        self._storage = storage
        self._noted: list[bytes] = []

    def take(self) -> list[bytes]:
        """What was noted since the last time, as chunks."""
        self._note()
        noted, self._noted = self._noted, []
        return noted

    def load(self, zone: Zone) -> int:
        return self._node.holder.load(zone)

    def points(self, zone: Zone) -> Sequence[Point]:
        return self._node.holder.points(zone)

    def export(self, zones: Sequence[Zone]) -> Iterator[bytes]:
        self._node.holder.zones = self.zones()
        return self._node.holder.export(zones)

    def restrict(self, chunk: bytes, zones: Sequence[Zone]) -> bytes:
        return self._node.holder.restrict(chunk, zones)

    def objection(self, chunk: bytes) -> str | None:
        _, refused = screened(chunk)
        return str(refused[0]) if refused else None

    def adopt(self, chunk: bytes) -> None:
        self._node.holder.adopt(self.screened(chunk))

    def screened(self, chunk: bytes) -> bytes:
        """A chunk without what is refused, which is noted."""
        kept, refused = screened(chunk)
        self.refused += refused
        return kept

    def merge(self, chunk: bytes) -> None:
        self._note()
        self._node.holder.merge(self.screened(chunk))
        self._storage.take()
        self.has_merged = True

    def discard(self, zone: Zone) -> None:
        self._note()
        self._node.holder.zones = self.zones()
        self._node.holder.discard(zone)
        self._storage.take()

    def _note(self) -> None:
        chunk = self._storage.take()
        if chunk:
            self._noted.append(chunk)
