"""Tables that merge in any order, and places that follow from them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triplewire.network.hypercube.members import Members
from triplewire.network.messages import Member, MemberStatus

records = st.builds(
    Member,
    id=st.sampled_from("abcdefgh"),
    address=st.sampled_from(["here", "there"]),
    incarnation=st.integers(1, 4),
    status=st.sampled_from(MemberStatus),
    claim=st.integers(0, 9),
    start=st.integers(0, 2),
)


@given(st.lists(records, max_size=20), st.randoms())
def test_tables_agree_in_whatever_order_they_learn(news: list[Member], rng: object) -> None:
    one, other = Members(), Members()
    one.merge(news)
    shuffled = list(news)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    for record in shuffled:
        other.merge([record])
    other.merge(news)
    assert set(one.all) == set(other.all)
    assert one.digest == other.digest
    assert one.places == other.places


@given(st.lists(records, max_size=20))
def test_everybody_alive_has_a_place_and_nobody_else(news: list[Member]) -> None:
    members = Members(news)
    alive = {member.id for member in members.all if member.status is MemberStatus.ALIVE}
    assert set(members.places) == alive
    assert len(members.places) == len(alive)
    assert all(members.places[place] == member for member, place in members.place_of.items())


def _row(*names: str) -> Members:
    return Members(Member(name, name, claim=claim) for claim, name in enumerate(names))


def test_only_the_last_one_moves_when_somebody_leaves() -> None:
    members = _row("a", "b", "c", "d", "e")
    members.merge([Member("b", "b", status=MemberStatus.LEFT, claim=1)])
    assert members.places == ("a", "e", "c", "d")


def test_two_that_joined_at_once_do_not_share_a_place() -> None:
    members = _row("a", "b")
    members.merge([Member("y", "y", claim=2), Member("x", "x", claim=2)])
    assert members.places == ("a", "b", "x", "y")


def test_a_newcomer_is_given_a_place_that_moves_nobody() -> None:
    members = _row("a", "b", "c")
    assert members.free_claim() == 3
    members.merge([Member("b", "b", status=MemberStatus.FAILED, claim=1)])
    assert members.places == ("a", "c")
    assert members.free_claim() == 1


def test_a_higher_incarnation_is_alive_again() -> None:
    members = _row("a", "b")
    assert members.merge([Member("b", "b", status=MemberStatus.FAILED, claim=1)])
    assert not members.merge([Member("b", "b", claim=1)])
    assert members.merge([Member("b", "b", incarnation=2, claim=1)])
    assert members.is_alive("b")
