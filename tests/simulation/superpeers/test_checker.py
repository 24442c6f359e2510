"""The checker finds what is wrong. Each test takes a history that is right, and breaks one thing."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import pytest

from triplewire.testing.simulation.checking import Violation, explained
from triplewire.testing.simulation.superpeers.histories.checker import Checker
from triplewire.testing.simulation.superpeers.histories.history import (
    MOST_HOPS,
    Accepted,
    Advertised,
    FaultCleared,
    FaultInjected,
    GapReported,
    History,
    Notified,
    Published,
    Record,
    Subscribed,
    SuperPeerLeft,
    Trimmed,
    Unsubscribed,
    Withdrawn,
)
from triplewire.testing.simulation.superpeers.workload.facts import Fact, Offer, Query, Span

SETTLE = 10.0
SMALL = Query((Span("size", 0, 4),))
LARGE = Query((Span("size", 5, 9),))
ANY = Offer((Span("size", 0, 9),))


def size(value: int) -> Fact:
    return Fact((("size", value),))


def right() -> list[Record]:
    """Two subscribers at two super-peers, three events of a third, a cut in between; everything is told once."""
    return [
        Subscribed(1.0, "sp1", "bob", "s1", SMALL),
        Subscribed(1.0, "sp2", "ann", "s2", LARGE),
        Advertised(2.0, "sp3", "crete", "a1", ANY),
        Published(20.0, "sp3", "crete", "e1", 1, size(2)),
        Accepted(20.1, "sp1", "e1"),
        Notified(20.1, "sp1", "s1", "e1"),
        FaultInjected(21.0, "cut", lasts=True),
        Published(22.0, "sp3", "crete", "e2", 2, size(3)),
        Published(23.0, "sp3", "crete", "e3", 3, size(7)),
        FaultCleared(30.0, "cut"),
        Accepted(31.0, "sp1", "e2"),
        Notified(31.0, "sp1", "s1", "e2"),
        Accepted(31.0, "sp2", "e3"),
        Notified(31.0, "sp2", "s2", "e3"),
    ]


def found(records: list[Record]) -> Violation | None:
    return Checker(History(5, records), SETTLE).first_violation()


def test_a_right_history_passes_and_owes_three():
    checker = Checker(History(5, right()), SETTLE)
    assert checker.first_violation() is None
    assert sorted((event.event, made.name) for event, made in checker.owed()) == [
        ("e1", "s1"),
        ("e2", "s1"),
        ("e3", "s2"),
    ]


def without(kind: type[Record], event: str) -> list[Record]:
    return [record for record in right() if not (isinstance(record, kind) and record.event == event)]


@pytest.mark.parametrize("event", ["e1", "e2", "e3"])
def test_a_dropped_delivery_is_missing(event: str):
    violation = found(without(Notified, event))
    assert violation is not None
    assert violation.rule == "missing"
    assert event in violation.sentence


def _twice(records: list[Record]) -> None:
    records.append(Notified(32.0, "sp1", "s1", "e2"))


def _swapped(records: list[Record]) -> None:
    early = next(r for r in records if isinstance(r, Notified) and r.event == "e1")
    records.remove(early)
    records.append(Notified(32.0, early.node, early.subscription, early.event))


def _wrong_subscriber(records: list[Record]) -> None:
    records.append(Notified(32.0, "sp2", "s2", "e2"))


def _wrong_place(records: list[Record]) -> None:
    records.append(Notified(32.0, "sp2", "s1", "e3"))


def _invented(records: list[Record]) -> None:
    records.append(Notified(32.0, "sp1", "s1", "e99"))


def _unasked(records: list[Record]) -> None:
    records.append(Accepted(32.0, "sp2", "e2"))


def _after_unsubscribing(records: list[Record]) -> None:
    records += [Unsubscribed(33.0, "sp1", "s1"), Notified(34.0, "sp1", "s1", "e1")]


def _accepted_long_after_unsubscribing(records: list[Record]) -> None:
    records += [
        Unsubscribed(33.0, "sp1", "s1"),
        Published(50.0, "sp3", "crete", "e4", 4, size(1)),
        Accepted(50.1, "sp1", "e4"),
    ]


@pytest.mark.parametrize(
    ("bug", "rule"),
    [
        (_twice, "twice"),
        (_swapped, "order"),
        (_wrong_subscriber, "stray"),
        (_wrong_place, "stray"),
        (_invented, "stray"),
        (_unasked, "unwanted"),
        (_after_unsubscribing, "stray"),
        (_accepted_long_after_unsubscribing, "unwanted"),
    ],
)
def test_each_bug_is_found_and_named(bug: Callable[[list[Record]], None], rule: str):
    records = right()
    bug(records)
    assert rule in {violation.rule for violation in Checker(History(5, records), SETTLE).violations()}


def test_an_event_for_a_subscription_that_has_not_settled_may_come_or_not():
    late = [*right(), Subscribed(40.0, "sp2", "eve", "s3", SMALL), Published(45.0, "sp3", "crete", "e4", 4, size(1))]
    told = [Accepted(45.1, "sp1", "e4"), Notified(45.1, "sp1", "s1", "e4")]
    assert found([*late, *told]) is None
    assert found([*late, *told, Accepted(46.0, "sp2", "e4"), Notified(46.0, "sp2", "s3", "e4")]) is None


def test_trouble_puts_off_when_a_subscription_has_settled():
    records: list[Record] = [
        Advertised(0.0, "sp3", "crete", "a1", ANY),
        FaultInjected(1.0, "cut", lasts=True),
        Subscribed(2.0, "sp1", "bob", "s1", SMALL),
        FaultCleared(30.0, "cut"),
        Published(35.0, "sp3", "crete", "e1", 1, size(2)),
    ]
    assert found(records) is None
    assert found([*records, Published(41.0, "sp3", "crete", "e2", 2, size(2))]) is not None


def test_nothing_is_owed_for_what_was_not_advertised_or_no_longer():
    base: list[Record] = [Subscribed(1.0, "sp1", "bob", "s1", SMALL)]
    event = Published(30.0, "sp3", "crete", "e1", 1, size(2))
    narrow = Advertised(2.0, "sp3", "crete", "a1", Offer((Span("size", 3, 9),)))
    others = Advertised(2.0, "sp3", "hannover", "a1", ANY)
    ended = [Advertised(2.0, "sp3", "crete", "a1", ANY), Withdrawn(29.0, "sp3", "a1")]
    assert found([*base, event]) is None
    assert found([*base, narrow, event]) is None
    assert found([*base, others, event]) is None
    assert found([*base, *ended, event]) is None
    assert found([*base, ended[0], event, Withdrawn(31.0, "sp3", "a1")]) is None
    assert found([*base, ended[0], event, Withdrawn(41.0, "sp3", "a1")]) is not None
    assert found([*base, Advertised(2.0, "sp3", "crete", "a1", ANY), event]) is not None


def test_what_advertisements_of_one_client_allow_together_is_owed():
    """One for each property: an event with both is within neither alone."""
    both = Query((Span("size", 0, 4), Span("weight", 0, 4)))
    sizes, weights = Offer((Span("size", 0, 9),)), Offer((Span("weight", 0, 9),))
    base: list[Record] = [Subscribed(1.0, "sp1", "bob", "s1", both), Advertised(2.0, "sp3", "crete", "a1", sizes)]
    event = Published(30.0, "sp3", "crete", "e1", 1, Fact((("size", 2), ("weight", 2))))
    second = Advertised(2.0, "sp3", "crete", "a2", weights)
    assert found([*base, event]) is None
    assert found([*base, Advertised(2.0, "sp3", "hannover", "a2", weights), event]) is None
    assert found([*base, second, Withdrawn(29.0, "sp3", "a2"), event]) is None
    violation = found([*base, second, event])
    assert violation is not None
    assert violation.rule == "missing"


def test_a_local_subscriber_is_owed_without_an_advertisement():
    records: list[Record] = [
        Subscribed(1.0, "sp1", "bob", "s1", SMALL),
        Published(1.5, "sp1", "bob", "e1", 1, size(2)),
    ]
    violation = found(records)
    assert violation is not None
    assert violation.rule == "missing"


def test_what_a_leaver_published_is_owed_if_there_was_calm_before_it_ended():
    records: list[Record] = [
        Subscribed(1.0, "sp1", "bob", "s1", SMALL),
        Advertised(2.0, "sp3", "crete", "a1", ANY),
        Published(20.0, "sp3", "crete", "e1", 1, size(2)),
    ]
    assert found([*records, SuperPeerLeft(25.0, "sp3")]) is None
    assert found([*records, SuperPeerLeft(31.0, "sp3")]) is not None


class TestLapses:
    """A peer that was away is told of what retention removed, instead of the events."""

    BASE: ClassVar[list[Record]] = [
        Subscribed(1.0, "sp1", "bob", "s1", SMALL),
        Advertised(2.0, "sp3", "crete", "a1", ANY),
        Published(20.0, "sp3", "crete", "e1", 1, size(2)),
        Accepted(20.1, "sp1", "e1", 7),
    ]
    TRIMMED = Trimmed(21.0, "sp1", 7)

    def test_what_is_told_to_be_lost_is_not_missing(self):
        assert rule_of([*self.BASE, self.TRIMMED]) == "missing"
        assert rule_of([*self.BASE, self.TRIMMED, GapReported(22.0, "sp1", "s1", 6, 7)]) is None

    @pytest.mark.parametrize(("name", "after", "until"), [("s1", 7, 7), ("s1", 1, 6), ("s2", 6, 7)])
    def test_what_is_lost_elsewhere_still_is(self, name: str, after: int, until: int):
        assert rule_of([*self.BASE, self.TRIMMED, GapReported(22.0, "sp1", name, after, until)]) == "missing"

    @pytest.mark.parametrize("trims", [[], [Trimmed(21.0, "sp2", 9)], [Trimmed(21.0, "sp1", 6)]])
    def test_nothing_else_is_told_to_be_lost(self, trims: list[Record]):
        assert rule_of([*self.BASE, *trims, GapReported(22.0, "sp1", "s1", 6, 7)]) == "lapse"

    def test_nor_is_it_before_it_was(self):
        assert rule_of([*self.BASE, GapReported(20.5, "sp1", "s1", 6, 7), self.TRIMMED]) == "lapse"


class TestRulesThatListen:
    """A rule is owed what a subscription in its place is, and publishes one event for each that it hears."""

    BASE: ClassVar[list[Record]] = [
        Subscribed(1.0, "sp1", "sp1/rules", "r1", SMALL, is_rule=True),
        Advertised(2.0, "sp3", "crete", "a1", ANY),
        Published(20.0, "sp3", "crete", "e1", 1, size(2)),
    ]
    HEARD: ClassVar[list[Record]] = [
        Accepted(20.1, "sp1", "e1", 1),
        Notified(20.2, "sp1", "r1", "e1"),
        Published(20.2, "sp1", "sp1/rules", "e1/r1", 2, size(3), "r1", "e1", 1),
    ]

    def test_what_it_does_not_hear_is_missing(self):
        assert rule_of(self.BASE) == "missing"
        assert rule_of([*self.BASE, *self.HEARD]) is None

    def test_what_is_published_at_its_own_node_is_heard_unless_the_rule_goes_at_once(self):
        local = [self.BASE[0], Published(20.0, "sp1", "bob", "e1", 1, size(2))]
        assert rule_of(local) == "missing"
        assert rule_of([*local, Unsubscribed(20.1, "sp1", "r1")]) is None

    def test_a_rule_that_hears_and_does_nothing_is_idle(self):
        assert rule_of([*self.BASE, *self.HEARD[:2]]) == "idle"

    def test_so_is_one_that_does_it_twice(self):
        again = Published(20.3, "sp1", "sp1/rules", "e1/r1/2", 3, size(3), "r1", "e1", 1)
        assert rule_of([*self.BASE, *self.HEARD, again]) == "idle"

    def test_what_rules_of_its_own_node_did_is_a_loop(self):
        loop = [
            Notified(20.3, "sp1", "r1", "e1/r1"),
            Published(20.3, "sp1", "sp1/rules", "e1/r1/r1", 3, size(3), "r1", "e1/r1", 2),
        ]
        assert rule_of([*self.BASE, *self.HEARD, *loop]) == "loop"

    def test_what_rules_of_others_did_is_owed_up_to_the_bound(self):
        far = Advertised(2.0, "sp3", "sp3/rules", "a2", ANY)
        for hops, wanted in ((MOST_HOPS - 1, "missing"), (MOST_HOPS, None)):
            event = Published(20.0, "sp3", "sp3/rules", "e0/r9", 1, size(2), "r9", "e0", hops)
            assert rule_of([self.BASE[0], far, event]) == wanted


def rule_of(records: list[Record]) -> str | None:
    violation = found(records)
    return None if violation is None else violation.rule


def test_the_explanation_names_the_seed_the_rule_and_what_happened_last():
    violation = found(without(Notified, "e2"))
    assert violation is not None
    text = explained(violation, 5, ["the last message"])
    assert text.startswith("seed 5: missing at 22.000 s: s1 at sp1 asks size 0..4; e2")
    assert "FaultCleared(time=30.0, what='cut')" in text
    assert text.endswith("the last message")
