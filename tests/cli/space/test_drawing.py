"""The tiling, found again from zones and drawn: every zone once, whatever its borders are."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET

import pytest

from triplewire.cli.space.drawing import svg
from triplewire.cli.space.tiling import Group, OwnedZone, Split, leaves, owned_zones, tree_of, zone_of
from triplewire.network.can.geometry.space import SPACE, Interval, Zone
from triplewire.network.can.messages import Claim
from triplewire.node.space.view import zone_view
from triplewire.wire.spaces import SpaceNodeView, SpaceView, ZoneView

SVG = "{http://www.w3.org/2000/svg}"


def tiled(size: int, seed: int) -> list[Zone]:
    """A tiling by random splits at random byte strings, which need not be text."""
    rng = random.Random(seed)
    zones = [SPACE]
    while len(zones) < size:
        zone, dimension = zones.pop(rng.randrange(len(zones))), rng.randrange(4)
        side, border = zone[dimension], rng.randbytes(3)
        if border in side and border != side.lower:
            zones.append(zone.with_side(dimension, Interval(side.lower, border)))
            zone = zone.with_side(dimension, Interval(border, side.upper))
        zones.append(zone)
    return zones


def view_of(zones: list[Zone]) -> SpaceView:
    nodes = tuple(
        SpaceNodeView(f"n-{at}", "tcp://x", "in", 1, (zone_view(Claim(zone, 1), at * 10),), at * 10, None, ())
        for at, zone in enumerate(zones)
    )
    return SpaceView(id="n-0", address="tcp://x", space="test", strategy="auto", nodes=nodes)


@pytest.mark.parametrize("seed", range(20))
def test_the_tree_of_splits_has_every_zone_once(seed: int):
    owned = [OwnedZone(SPACE, "n")]
    assert tree_of(owned) is owned[0]
    zones = owned_zones(view_of(tiled(12, seed)))
    tree = tree_of(zones)
    assert isinstance(tree, Split)
    assert sorted(zone.owner for zone in leaves(tree)) == sorted(zone.owner for zone in zones)


def test_zones_that_no_border_parts_are_drawn_side_by_side():
    """Four zones around a fifth, as the blades of a pinwheel."""
    blades = [(("", ""), ("b", "a")), (("b", ""), (None, "b")), (("a", "b"), (None, None)), (("", "a"), ("a", None))]
    sides = [*blades, (("a", "a"), ("b", "b"))]
    zones = [
        OwnedZone(zone_of(ZoneView((*lower, "", ""), (*upper, None, None), 1, 5)), f"n-{at}")
        for at, (lower, upper) in enumerate(sides)
    ]
    assert isinstance(tree_of(zones), Group)


@pytest.mark.parametrize("seed", range(5))
def test_the_drawing_is_xml_and_has_every_zone_in_the_tree_and_in_both_projections(seed: int):
    zones = tiled(9, seed)
    drawn = ET.fromstring(svg(view_of(zones)))
    titles = [title.text or "" for title in drawn.iter(f"{SVG}title")]
    for at in range(len(zones)):
        assert sum(title.startswith(f"n-{at}: ") for title in titles) == 3


def test_a_space_without_nodes_is_drawn_empty():
    ET.fromstring(svg(SpaceView(id="n", address="a", space="s", strategy="auto", nodes=())))


@pytest.mark.parametrize("seed", range(20))
def test_a_zone_is_read_back_from_its_view(seed: int):
    for zone in tiled(9, seed):
        assert zone_of(zone_view(Claim(zone, 1), 0)) == zone
