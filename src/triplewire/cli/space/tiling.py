"""The tiling as a tree of splits, found again from the zones: each border parts the rest of the space in two."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from triplewire.network.can.geometry.space import Box, Interval, Zone
from triplewire.wire.spaces import SpaceView, ZoneView

DIMENSIONS = ("graph", "subject", "predicate", "object")
# How the node writes a byte that is no character of its own.
_BYTE = re.compile(r"(?<!\\)\\x([89a-f][0-9a-f])")


class OwnedZone(Struct, frozen=True):
    """A zone, the node that owns it since an epoch, and what it stores."""

    zone: Zone
    owner: str
    quads: int = 0
    epoch: int = 1


class Split(Struct, frozen=True):
    """A border in a dimension, and what lies below and above it."""

    dimension: int
    border: bytes
    below: Tree
    above: Tree


class Group(Struct, frozen=True):
    """Zones that no single border parts; neighbours that took over from each other can lie so."""

    zones: tuple[OwnedZone, ...]


Tree = OwnedZone | Split | Group


def owned_zones(view: SpaceView) -> list[OwnedZone]:
    """Every zone of the space."""
    return [OwnedZone(zone_of(zone), node.id, zone.quads, zone.epoch) for node in view.nodes for zone in node.zones]


def zone_of(view: ZoneView) -> Zone:
    """The zone that a node has described, its borders as bytes again.

    >>> zone_of(ZoneView(("", "<a", "", ""), ("<m", None, None, None), 1, 0)).graph
    Interval(lower=b'', upper=b'<m')
    """
    sides = zip(view.lower, view.upper, strict=True)
    return Box(*(Interval(_border(lower), None if upper is None else _border(upper)) for lower, upper in sides))


def _border(text: str) -> bytes:
    raised = _BYTE.sub(lambda found: chr(0xDC00 + int(found[1], 16)), text)
    return raised.encode("utf-8", "surrogateescape")


def tree_of(zones: Sequence[OwnedZone]) -> Tree:
    """The tree of splits. Of several borders that part the zones, the one that comes closest to halving them."""
    if len(zones) == 1:
        return zones[0]
    best = min(_splits(zones), key=lambda split: abs(len(split[2]) - len(split[3])), default=None)
    if best is None:
        return Group(tuple(zones))
    dimension, border, below, above = best
    return Split(dimension, border, tree_of(below), tree_of(above))


def leaves(tree: Tree) -> Iterator[OwnedZone]:
    """The zones of a tree."""
    if isinstance(tree, OwnedZone):
        yield tree
    elif isinstance(tree, Group):
        yield from tree.zones
    else:
        yield from leaves(tree.below)
        yield from leaves(tree.above)


def quads_of(tree: Tree) -> int:
    return sum(zone.quads for zone in leaves(tree))


def _splits(zones: Sequence[OwnedZone]) -> Iterator[tuple[int, bytes, list[OwnedZone], list[OwnedZone]]]:
    for dimension in range(len(DIMENSIONS)):
        for border in sorted({zone.zone[dimension].lower for zone in zones} - {b""}):
            below = [zone for zone in zones if _ends_by(zone.zone[dimension], border)]
            above = [zone for zone in zones if zone.zone[dimension].lower >= border]
            if below and above and len(below) + len(above) == len(zones):
                yield dimension, border, below, above


def _ends_by(side: Interval, border: bytes) -> bool:
    return side.upper is not None and side.upper <= border
