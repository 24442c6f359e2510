"""Who is suspected, who is asked about it, and who is given up."""

from __future__ import annotations

from random import Random

import pytest

from triplewire.network.effects import Deed, Send
from triplewire.network.hypercube.failure_detection import Watching
from triplewire.network.hypercube.members import Members
from triplewire.network.messages import Heard, Member, Probe, Status
from triplewire.network.timings import Timings

TIMINGS = Timings(silence=4, verdict=2)


@pytest.fixture
def members() -> Members:
    return Members(Member(name, f"at {name}", claim=place) for place, name in enumerate("abcdef"))


@pytest.fixture
def watching(members: Members) -> Watching:
    return Watching("a", members, Random(0), TIMINGS)


def _probes(deeds: list[Deed]) -> list[Probe]:
    return [deed.what for deed in deeds if isinstance(deed, Send) and isinstance(deed.what, Probe)]


def test_whoever_answers_is_not_suspected(watching: Watching) -> None:
    assert watching.look(0, ["b"], lambda _: 3.9) == []
    assert watching.verdicts(10) == []


def test_others_are_asked_about_whoever_is_silent(watching: Watching) -> None:
    deeds = watching.look(0, ["b"], lambda _: 4.1)
    assert _probes(deeds) == [Probe("b")] * 3
    assert watching.look(1, ["b"], lambda _: 5.1) == [], "once"


def test_whom_nobody_hears_is_given_up(watching: Watching) -> None:
    watching.heard(0, "c")
    watching.look(0, ["b"], lambda _: 4.1)
    assert watching.verdicts(1) == []
    assert watching.verdicts(2) == ["b"]


def test_f6_whom_another_hears_is_not_given_up(watching: Watching) -> None:
    watching.look(0, ["b"], lambda _: 4.1)
    watching.answered(1, "c", Heard("b"))
    assert watching.verdicts(2) == []


def test_f6_whoever_hears_nobody_gives_nobody_up(watching: Watching) -> None:
    watching.look(0, ["b", "c"], lambda _: 4.1)
    assert watching.verdicts(2) == []


def test_f6_one_way_is_not_enough_to_be_heard(watching: Watching, members: Members) -> None:
    """A witness asks the suspect itself: one that only speaks, and does not hear, does not answer."""
    witness = Watching("c", members, Random(0), TIMINGS)
    (asked,) = witness.probed(0, "a", Probe("b"))
    assert asked == Send("at b", Probe())
    (told,) = witness.answered(0.1, "b", Heard())
    assert told == Send("at a", Heard("b"))
    assert witness.answered(0.2, "b", Heard()) == [], "told once"


def test_those_given_up_are_looked_for(watching: Watching, members: Members) -> None:
    members.merge([Member("f", "at f", status=Status.FAILED)])
    deeds = watching.look(TIMINGS.seek, [], lambda _: 0)
    assert deeds == [Send("at f", Probe())]
