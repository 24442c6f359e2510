"""The network as it was recorded is the network that was seen."""

from __future__ import annotations

import pytest

from triplewire.federation.overlay import CubeOverlay, RecordedNetwork
from triplewire.network.hypercube.members import Members
from triplewire.network.messages import Member, MemberStatus


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_what_is_recorded_answers_as_the_cube_does(size: int):
    left = Member("gone", "gone", claim=size, status=MemberStatus.LEFT)
    members = Members([*(Member(f"m{n}", f"m{n}", claim=n) for n in range(size)), left])
    for number in range(size):
        seen = CubeOverlay(f"m{number}", members)
        recorded = RecordedNetwork()
        recorded.record(seen.others, seen.members, seen.onward())
        assert list(recorded.others) == list(seen.others)
        assert list(recorded.members) == list(seen.members)
        for dimension in range(-1, 4):
            assert list(recorded.onward(dimension)) == list(seen.onward(dimension))


def test_before_anything_is_recorded_nobody_is_there():
    network = RecordedNetwork()
    assert (list(network.others), list(network.members), list(network.onward())) == ([], [], [])
