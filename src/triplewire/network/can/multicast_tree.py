"""The tree of a multicast: one parent for each zone that its bounds touch, known from the zones alone.

The root is the zone with the lower corner of the bounds. For any other zone take the lower corner of what it shares
with the bounds, and the first dimension in which that is above the bounds' own: its parent is the zone just below that
corner in that dimension. A parent adjoins its child, touches the bounds as well, and shares a lower corner that is
below; so every path of parents ends at the root, and each zone gets the multicast from exactly one other.
"""

from __future__ import annotations

from triplewire.network.can.space import Bounds, Dimension, Zone


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
