"""Every touched zone has exactly one parent, and the root none."""

from __future__ import annotations

from hypothesis import assume, given
from tests.network.can.shapes import BOUNDS
from tests.network.can.tilings import tilings

from triplewire.network.can.geometry.space import Box
from triplewire.network.can.messaging.multicasts import is_parent, is_root


@given(tilings(), BOUNDS)
def test_every_touched_zone_has_one_parent_that_adjoins_it(zones: list[Box], bounds: Box):
    assume(not bounds.is_empty)
    touched = [zone for zone in zones if zone.touches(bounds)]
    assert len([zone for zone in touched if is_root(zone, bounds)]) == 1
    for zone in touched:
        parents = [other for other in zones if is_parent(other, zone, bounds)]
        assert len(parents) == (0 if is_root(zone, bounds) else 1)
        assert all(parent.touches(bounds) and parent.adjoins(zone) for parent in parents)


@given(tilings(), BOUNDS)
def test_from_the_root_every_touched_zone_is_reached_once(zones: list[Box], bounds: Box):
    assume(not bounds.is_empty)
    reached = [zone for zone in zones if is_root(zone, bounds)]
    for zone in reached:
        reached += [other for other in zones if is_parent(zone, other, bounds)]
    assert sorted(map(repr, reached)) == sorted(repr(zone) for zone in zones if zone.touches(bounds))
