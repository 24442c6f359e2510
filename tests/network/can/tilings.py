"""Tilings of the space, drawn by splitting zones."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st
from tests.network.can.shapes import VALUES

from triplewire.network.can.geometry.space import SPACE, Box, Dimension
from triplewire.network.can.geometry.splits import Split, choose_split


@st.composite
def tilings(draw: st.DrawFn, most: int = 24) -> list[Box]:
    """Zones that tile the space, cut at borders that hypothesis draws or in the middle."""
    zones = [SPACE]
    for _ in range(draw(st.integers(0, most - 1))):
        zone = zones.pop(draw(st.integers(0, len(zones) - 1)))
        dimension, border = draw(st.sampled_from(Dimension)), draw(VALUES)
        is_inside = zone[dimension].lower < border and border in zone[dimension]
        split = Split(dimension, border) if is_inside else choose_split(zone, [])
        zones += [zone] if split is None else split.halves(zone)
    return zones


def random_tiling(size: int, seed: int) -> list[Box]:
    """A tiling of a given size, cut in the middle of zones at random."""
    rng = Random(seed)
    zones = [SPACE]
    while len(zones) < size:
        zone = zones.pop(rng.randrange(len(zones)))
        split = choose_split(zone, [])
        assert split is not None
        zones += split.halves(zone)
    return zones
