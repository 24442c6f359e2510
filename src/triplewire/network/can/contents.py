"""The little that a node of a space needs from its store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from triplewire.network.can.geometry.space import Point, Zone


class Contents(Protocol):
    """What is stored here. Chunks are opaque to the overlay: bytes out at one node, in at another.

    What is stored only grows, and the same again changes nothing. So a chunk may be merged twice, or after later ones
    of another node.
    """

    def load(self, zone: Zone) -> int:
        """How much is stored in a zone. Called with every heartbeat, so it has to be cheap."""
        ...

    def points(self, zone: Zone) -> Sequence[Point]:
        """The points of what is stored in a zone, or a fair sample; called to find where to split it."""
        ...

    def export(self, zones: Sequence[Zone]) -> Iterator[bytes]:
        """All that is stored in these zones, and what else their owner needs, in chunks of about 256 KiB.

        Read bit by bit: what is stored may change between two chunks. What has changed is handed to `replicate`.
        """
        ...

    def merge(self, chunk: bytes) -> None:
        """Add what was exported elsewhere, as state: what is in it has met already."""
        ...

    def objection(self, chunk: bytes) -> str | None:
        """What is wrong with a chunk that another node has sent, if something is."""
        ...

    def restrict(self, chunk: bytes, zones: Sequence[Zone]) -> bytes:
        """What of a chunk lies in these zones, without messages under way; empty if there is nothing."""
        ...

    def adopt(self, chunk: bytes) -> None:
        """Take over the messages of a chunk that were under way at a node that is gone, and nothing else."""
        ...

    def discard(self, zone: Zone) -> None:
        """Forget what is stored in a zone: another owner has it."""
        ...
