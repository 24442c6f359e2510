"""Who is suspected, who is asked about it, and who is given up."""

from __future__ import annotations

from random import Random

import pytest

from triplewire.network.effects import Action, SendPacket
from triplewire.network.hypercube.failure_detection import FailureDetector
from triplewire.network.hypercube.members import Members
from triplewire.network.messages import Member, MemberStatus, Probe, ProbeAnswer
from triplewire.network.timings import Timings

TIMINGS = Timings(suspect_after=4, fail_after=2)


@pytest.fixture
def members() -> Members:
    return Members(Member(name, f"at {name}", claim=place) for place, name in enumerate("abcdef"))


@pytest.fixture
def watching(members: Members) -> FailureDetector:
    return FailureDetector("a", members, Random(0), TIMINGS)


def _probes(actions: list[Action]) -> list[Probe]:
    return [action.packet for action in actions if isinstance(action, SendPacket) and isinstance(action.packet, Probe)]


def test_whoever_answers_is_not_suspected(watching: FailureDetector) -> None:
    assert watching.check(0, ["b"], lambda _: 3.9) == []
    assert watching.failed_members(10) == []


def test_others_are_asked_about_whoever_is_silent(watching: FailureDetector) -> None:
    actions = watching.check(0, ["b"], lambda _: 4.1)
    assert _probes(actions) == [Probe("b")] * 3
    assert watching.check(1, ["b"], lambda _: 5.1) == [], "once"


def test_whom_nobody_hears_is_given_up(watching: FailureDetector) -> None:
    watching.mark_answered(0, "c")
    watching.check(0, ["b"], lambda _: 4.1)
    assert watching.failed_members(1) == []
    assert watching.failed_members(2) == ["b"]


def test_f6_whom_another_hears_is_not_given_up(watching: FailureDetector) -> None:
    watching.check(0, ["b"], lambda _: 4.1)
    watching.answered(1, "c", ProbeAnswer("b"))
    assert watching.failed_members(2) == []


def test_f6_whoever_hears_nobody_gives_nobody_up(watching: FailureDetector) -> None:
    watching.check(0, ["b", "c"], lambda _: 4.1)
    assert watching.failed_members(2) == []


def test_f6_one_way_is_not_enough_to_be_heard(watching: FailureDetector, members: Members) -> None:
    """A witness asks the suspect itself: one that only speaks, and does not hear, does not answer."""
    witness = FailureDetector("c", members, Random(0), TIMINGS)
    (asked,) = witness.probed(0, "a", Probe("b"))
    assert asked == SendPacket("at b", Probe())
    (told,) = witness.answered(0.1, "b", ProbeAnswer())
    assert told == SendPacket("at a", ProbeAnswer("b"))
    assert witness.answered(0.2, "b", ProbeAnswer()) == [], "told once"


def test_those_given_up_are_looked_for(watching: FailureDetector, members: Members) -> None:
    members.merge([Member("f", "at f", status=MemberStatus.FAILED)])
    actions = watching.check(TIMINGS.probe_failed_every, [], lambda _: 0)
    assert actions == [SendPacket("at f", Probe())]
