"""Joining, leaving, being thrown out and coming back, by the messages that are exchanged."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from triplewire.network.effects import Action, SendMessage, SendPacket
from triplewire.network.hypercube.membership import Membership, Stage
from triplewire.network.messages import Alive, Expelled, Join, JoinAccepted, Member, MembershipChange, MemberStatus
from triplewire.network.timings import Timings

TIMINGS = Timings()


def _member(name: str, place: int) -> Member:
    return Member(name, f"at {name}", claim=place)


def _inside(name: str, *all_names: str) -> Membership:
    """Somebody who is in a network of these."""
    table = [_member(other, place) for place, other in enumerate(all_names)]
    membership = Membership(_member(name, all_names.index(name)), table, {}, Random(0), TIMINGS)
    membership.stage = Stage.IN
    return membership


def _outside(name: str) -> Membership:
    return Membership(Member(name, f"at {name}"), (), {}, Random(0), TIMINGS)


def _sent(actions: list[Action], kind: type) -> list[SendPacket]:
    return [action for action in actions if isinstance(action, SendPacket) and isinstance(action.packet, kind)]


class TestJoining:
    def test_any_member_gives_a_place_and_tells_everybody(self) -> None:
        host = _inside("b", "a", "b", "c")
        actions = host.join_requested(0, "x", Join(Member("x", "at x")))
        (welcome,) = _sent(actions, JoinAccepted)
        assert welcome.to == "at x"
        assert host.members.places == ("a", "b", "c", "x")
        told = {action.to for action in actions if isinstance(action, SendMessage)}
        assert told == {"a", "x"}, "one of each dimension: the others hear it from those"

    def test_asking_again_changes_nothing(self) -> None:
        host = _inside("a", "a")
        host.join_requested(0, "x", Join(Member("x", "at x")))
        before = host.members.digest
        (welcome,) = host.join_requested(1, "x", Join(Member("x", "at x")))
        assert isinstance(welcome, SendPacket)
        assert host.members.digest == before

    def test_nobody_joins_under_another_name(self) -> None:
        host = _inside("a", "a")
        assert host.join_requested(0, "mallory", Join(Member("x", "at x"))) == []
        assert host.members.places == ("a",)

    def test_a_newcomer_asks_one_after_the_other_until_somebody_answers(self) -> None:
        newcomer = _outside("x")
        asked = [action.to for action in newcomer.join(0, ["p", "q"]) if isinstance(action, SendPacket)]
        for second in range(1, 4):
            asked += [action.to for action in newcomer.tick(second * TIMINGS.retry) if isinstance(action, SendPacket)]
        assert asked == ["p", "q", "p", "q"]
        newcomer.welcomed(5, JoinAccepted((_member("a", 0), _member("x", 1)), {"a": 17}))
        assert newcomer.stage is Stage.IN
        assert newcomer.watermarks["a"] == 17

    def test_one_that_is_known_comes_back_to_its_place(self) -> None:
        host = _inside("a", "a", "b", "c")
        back = msgspec.structs.replace(_member("b", 0), incarnation=2)
        host.join_requested(0, "b", Join(back))
        assert host.members.places == ("a", "b", "c")

    def test_what_was_heard_before_is_not_forgotten_for_what_the_host_has_heard(self) -> None:
        back = Membership(_member("x", 1), (), {"a": 3}, Random(0), TIMINGS)
        back.join(0, ["at a"])
        back.welcomed(1, JoinAccepted((_member("a", 0), _member("x", 1)), {"a": 17}))
        assert back.watermarks["a"] == 3

    def test_if_nobody_is_there_it_goes_on_with_those_it_knew(self) -> None:
        table = [_member("a", 0), _member("b", 1)]
        alone = Membership(_member("b", 1), table, {}, Random(0), TIMINGS)
        alone.join(0, ["at a"])
        for tick in range(100):
            alone.tick(tick * 0.2)
        assert alone.stage is Stage.IN
        assert alone.members.places == ("a", "b")


class TestNews:
    def test_news_are_passed_on_above_the_dimension_they_came_in_on(self) -> None:
        member = _inside("a", "a", "b", "c", "d")
        change = MembershipChange((_member("x", 4),), dimension=0)
        passed = {
            action.to: action.message.dimension
            for action in member.apply_changes(0, change)
            if isinstance(action, SendMessage)
        }
        assert passed == {"c": 1, "x": 2}

    def test_what_is_no_news_stops(self) -> None:
        member = _inside("a", "a", "b")
        assert member.apply_changes(0, MembershipChange((_member("b", 1),))) == []

    def test_whoever_is_moved_claims_the_place_it_came_to(self) -> None:
        member = _inside("d", "a", "b", "c", "d")
        member.apply_changes(
            0, MembershipChange((msgspec.structs.replace(_member("b", 1), status=MemberStatus.FAILED),))
        )
        actions = member.tick(TIMINGS.heartbeat * 3)
        assert member.me.claim == 1
        assert any(isinstance(action, SendMessage) for action in actions)

    def test_a_member_that_is_called_dead_says_that_it_is_alive(self) -> None:
        member = _inside("b", "a", "b", "c")
        dead = msgspec.structs.replace(_member("b", 1), status=MemberStatus.FAILED)
        actions = member.apply_changes(0, MembershipChange((dead,)))
        assert member.members.is_alive("b")
        assert member.me.incarnation == 2
        assert any(isinstance(action, SendMessage) and member.me in action.message.members for action in actions)

    def test_leaving_is_told(self) -> None:
        member = _inside("b", "a", "b")
        (action,) = member.leave(0)
        assert isinstance(action, SendMessage)
        assert action.message.members[0].status is MemberStatus.LEFT


class TestThoseGivenUp:
    def test_a_stranger_is_told_who_is_in_once_a_second(self) -> None:
        member = _inside("a", "a", "b")
        member.declare_failed(0, "b")
        assert len(_sent(member.reject_sender(0, "b", "at b", 1), Expelled)) == 1
        assert member.reject_sender(0.5, "b", "at b", 1) == []
        assert member.reject_sender(2, "b", "at b", 1) != []

    def test_f6_one_that_was_cut_off_comes_back_in_a_higher_incarnation(self) -> None:
        """It has given nobody up; the others have given it up."""
        lonely = _inside("b", "a", "b", "c")
        theirs = [
            _member("a", 0),
            msgspec.structs.replace(_member("b", 1), status=MemberStatus.FAILED),
            _member("c", 2),
        ]
        actions = lonely.expelled(0, "a", Expelled(tuple(theirs), 2), strength=1)
        (sent,) = _sent(actions, Alive)
        assert sent.to == "at a"
        other = _inside("a", "a", "b", "c")
        other.declare_failed(0, "b")
        other.alive_received(0, "b", sent.packet, 1)  # type: ignore[arg-type]
        assert other.members.is_alive("b")

    def test_f6_of_two_networks_the_smaller_joins_the_larger(self) -> None:
        small, large = _inside("a", *"abcde"), _inside("e", *"abcde")
        for gone in "cde":
            small.declare_failed(0, gone)
        for gone in "ab":
            large.declare_failed(0, gone)
        actions = small.expelled(1, "e", Expelled(large.members.all, 3), strength=2)
        assert small.stage is Stage.JOINING
        assert _sent(actions, Join)
        answer = large.expelled(1, "a", Expelled(_inside("a", *"ab").members.all, 2), strength=3)
        assert large.stage is Stage.IN
        assert _sent(answer, Expelled), "the larger one tells the smaller who it is"

    @pytest.mark.parametrize(("name", "stays"), [("a", True), ("d", False)])
    def test_of_two_equal_ones_the_one_with_the_smallest_name_stays(self, name: str, stays: bool) -> None:
        member = _inside(name, *"abcd")
        gone, others = ("cd", "ab") if name == "a" else ("ab", "cd")
        for other in gone:
            member.declare_failed(0, other)
        sender = gone[0]
        theirs = [_member(other, place) for place, other in enumerate(gone)]
        theirs += [msgspec.structs.replace(_member(other, 0), status=MemberStatus.FAILED) for other in others]
        member.expelled(1, sender, Expelled(tuple(theirs), 2), strength=2)
        assert (member.stage is Stage.IN) is stays

    def test_nobody_speaks_for_another(self) -> None:
        member = _inside("a", "a", "b")
        member.declare_failed(0, "b")
        assert (
            member.alive_received(0, "mallory", Alive(msgspec.structs.replace(_member("b", 1), incarnation=9)), 1) == []
        )
        assert not member.members.is_alive("b")
