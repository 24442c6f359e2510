"""Multicasts: the tree that they follow, and those under way.

The tree gives each zone that the bounds touch one parent, known from the zones alone. The root is the zone with the
lower corner of the bounds. For any other zone take the lower corner of what it shares with the bounds, and the first
dimension in which that is above the bounds' own: its parent is the zone just below that corner in that dimension. A
parent adjoins its child, touches the bounds as well, and shares a lower corner that is below; so every path of parents
ends at the root, and each zone gets the multicast from exactly one other.

A multicast is under way at its origin until every touched zone has receipted it, and at the others for as long as
repeats may come.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.can.claims import minus
from triplewire.network.can.messages import Address, Multicast, Receipt
from triplewire.network.can.space import Bounds, Dimension, Zone

# How many missing parts one attempt asks for: the rest follows in the next.
_MOST_PARTS = 16


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


class _Outgoing(Struct):
    bounds: Bounds
    body: bytes
    missing: list[Bounds]
    attempt: int = 0
    sent: float = float("-inf")


class OutgoingMulticasts:
    """Our own multicasts, until they are complete."""

    def __init__(self, me: Address, retry: float) -> None:
        self._me = me
        self._retry = retry
        self._outgoing: dict[str, _Outgoing] = {}

    def __len__(self) -> int:
        return len(self._outgoing)

    def add(self, multicast_id: str, bounds: Bounds, body: bytes) -> None:
        self._outgoing[multicast_id] = _Outgoing(bounds, body, [bounds])

    def due(self, now: float) -> list[Multicast]:
        """What to send now: one message for each missing part of the bounds."""
        found = []
        for multicast_id, outgoing in self._outgoing.items():
            if now - outgoing.sent >= self._retry:
                outgoing.attempt += 1
                outgoing.sent = now
                found += [
                    Multicast(multicast_id, outgoing.attempt, self._me, outgoing.bounds, part, outgoing.body)
                    for part in outgoing.missing[:_MOST_PARTS]
                ]
        return found

    def receipted(self, receipt: Receipt) -> bool:
        """Whether this receipt completes the multicast."""
        outgoing = self._outgoing.get(receipt.id)
        if outgoing is None:
            return False
        outgoing.missing = minus(outgoing.missing, receipt.boxes)
        if outgoing.missing:
            return False
        del self._outgoing[receipt.id]
        return True


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

    def within(self, zone: Zone) -> tuple[tuple[str, tuple[Bounds, ...]], ...]:
        """What the next owner of a zone has to know."""
        found = (
            (multicast_id, tuple(box.intersection(zone) for box in boxes if box.touches(zone)))
            for multicast_id, boxes in self._boxes.items()
        )
        return tuple((multicast_id, boxes) for multicast_id, boxes in found if boxes)

    def prune(self, now: float) -> None:
        expired = {multicast_id for multicast_id, at in self._expiries.items() if at < now}
        if expired:
            self._forwarded = {key for key in self._forwarded if key[0] not in expired}
            for multicast_id in expired:
                del self._expiries[multicast_id]
                self._boxes.pop(multicast_id, None)
