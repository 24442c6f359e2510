"""Multicasts: the tree that they follow, and where they were handled.

The tree gives each zone that the bounds touch one parent, known from the zones alone. The root is the zone with the
lower corner of the bounds. For any other zone take the lower corner of what it shares with the bounds, and the first
dimension in which that is above the bounds' own: its parent is the zone just below that corner in that dimension. A
parent adjoins its child, touches the bounds as well, and shares a lower corner that is below; so every path of parents
ends at the root, and each zone gets the multicast from exactly one other.

What was handled is remembered for as long as repeats may come.
"""

from __future__ import annotations

from triplewire.network.can.geometry.space import Bounds, Dimension, Zone
from triplewire.network.can.messages import Multicast
from triplewire.network.can.ownership.claims import minus


def is_root(zone: Zone, bounds: Bounds) -> bool:
    return not bounds.is_empty and bounds.lower in zone


def is_parent(parent: Zone, child: Zone, bounds: Bounds) -> bool:
    """Whether a zone hands a multicast on to another one."""
    if not child.touches(bounds) or is_root(child, bounds):
        return False
    corner = child.intersection(bounds).lower
    across = next(at for at in Dimension if corner[at] > bounds.lower[at])
    return parent[across].upper == child[across].lower and all(
        corner[at] in parent[at] for at in Dimension if at != across
    )


class HandledMulticasts:
    """Where multicasts were handled, and which copies were forwarded."""

    def __init__(self, remember: float) -> None:
        self._remember = remember
        self._boxes: dict[str, list[Bounds]] = {}
        self._forwarded: set[tuple[str, int, Bounds, Zone]] = set()
        self._expiries: dict[str, float] = {}

    def first(self, now: float, multicast: Multicast, zone: Zone) -> bool:
        """Whether this copy has not been forwarded from this zone before."""
        key = (multicast.id, multicast.attempt, multicast.part, zone)
        is_first = key not in self._forwarded
        self._forwarded.add(key)
        self._expiries[multicast.id] = now + self._remember
        return is_first

    def handle(self, now: float, multicast_id: str, box: Bounds) -> tuple[Bounds, ...]:
        """The parts of a box in which a multicast has not been handled before. From now on it has."""
        boxes = self._boxes.setdefault(multicast_id, [])
        new = minus([box], boxes)
        boxes += new
        self._expiries[multicast_id] = now + self._remember
        return tuple(new)

    def boxes(self, multicast_id: str) -> list[Bounds]:
        """Where a multicast was handled."""
        return self._boxes.get(multicast_id, [])

    def prune(self, now: float) -> None:
        expired = {multicast_id for multicast_id, at in self._expiries.items() if at < now}
        if expired:
            self._forwarded = {key for key in self._forwarded if key[0] not in expired}
            for multicast_id in expired:
                del self._expiries[multicast_id]
                self._boxes.pop(multicast_id, None)
