"""The little that a node of a space needs from its store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from triplewire.network.can.space import Point, Zone


class Contents(Protocol):
    """What is stored here. `export` and `merge` are opaque to the overlay: bytes out at one node, in at another."""

    def load(self, zone: Zone) -> int:
        """How much is stored in a zone. Called with every heartbeat, so it has to be cheap."""
        ...

    def points(self, zone: Zone) -> Sequence[Point]:
        """The points of what is stored in a zone, or a fair sample; called to find where to split it."""
        ...

    def export(self, zones: Sequence[Zone]) -> bytes:
        """All that is stored in these zones, and what else their new owner needs."""
        ...

    def merge(self, exported: bytes) -> None:
        """Add what was exported elsewhere. The same again changes nothing."""
        ...

    def discard(self, zone: Zone) -> None:
        """Forget what is stored in a zone: its new owner has it."""
        ...
