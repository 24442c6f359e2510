"""Who owns what beyond the neighbours, as receipts told: what is known so is reached in one hop.

It may be out of date. Then the message is routed on from there, or it is repeated by way of the neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from triplewire.network.can.geometry.space import Point, Zone
from triplewire.network.can.messages import Address

# Beyond this the owner that was learnt first is forgotten.
_MOST_OWNERS = 1_024


class KnownOwners:
    """Zones of other nodes, the latest first where two overlap."""

    def __init__(self) -> None:
        self._zones: dict[Address, tuple[Zone, ...]] = {}

    def __iter__(self) -> Iterator[tuple[Zone, Address]]:
        return ((zone, owner) for owner, zones in self._zones.items() for zone in zones)

    def learn(self, owner: Address, zones: Sequence[Zone]) -> None:
        if self._zones.get(owner) == zones:
            return
        self.forget(owner)
        # Whoever was there before has given it away.
        overlapped = [other for zone, other in self if any(zone.touches(new) for new in zones)]
        for other in overlapped:
            self.forget(other)
        if zones:
            self._zones[owner] = tuple(zones)
        if len(self._zones) > _MOST_OWNERS:
            del self._zones[next(iter(self._zones))]

    def forget(self, owner: Address) -> None:
        self._zones.pop(owner, None)

    def of(self, point: Point) -> Address | None:
        return next((owner for zone, owner in self if point in zone), None)
