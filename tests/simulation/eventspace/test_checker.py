"""The checker of the event space finds what is wrong. Each test takes a history that is right, and breaks one thing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from triplewire.network.can.geometry.space import SPACE
from triplewire.testing.simulation.eventspace.answers import points_of
from triplewire.testing.simulation.eventspace.checker import SpaceChecker
from triplewire.testing.simulation.eventspace.history import (
    Answered,
    Arrived,
    Asked,
    Established,
    History,
    Leaving,
    NodeEnded,
    Notified,
    Published,
    Record,
    Refused,
    Sent,
    Subscribed,
    Unsubscribed,
)

E1, E2, E3 = (f"urn:e{number}" for number in (1, 2, 3))
TEXTS = {
    name: f'<urn:s> <urn:p> "{name}" <{name}> .\n<urn:s> <urn:q> _:b <{name}> .\n'.encode() for name in (E1, E2, E3)
}
OTHER = b'<urn:s> <urn:p> "other" <urn:e1> .\n'
QUERY = "SELECT ?y { ?x <urn:p> ?y }"
QUADS = (*points_of(TEXTS[E1]), *points_of(TEXTS[E2]))


def answer(event: str) -> tuple[str, ...]:
    return (f'y="{event}"',)


def right() -> list[Record]:
    """A subscriber at n1, publishers at n1 and n2, and a query at the end."""
    return [
        Subscribed(1.0, "n1", "s1", QUERY),
        Sent(1.1, "n1", E1, TEXTS[E1]),
        Established(1.2, "n1", "s1"),
        Sent(1.3, "n2", E2, TEXTS[E2]),
        Arrived(1.4, "n1", E1, ("s1",)),
        Notified(1.4, "n1", "s1", E1, answer(E1)),
        Published(1.5, "n1", E1),
        Published(1.5, "n2", E2),
        Arrived(1.6, "n1", E2, ("s1",)),
        Notified(1.6, "n1", "s1", E2, answer(E2)),
        Asked(2.0, "n2", 7, SPACE, is_strict=True),
        Answered(2.1, "n2", 7, QUADS),
    ]


def rules(records: list[Record]) -> set[str]:
    return {violation.rule for violation in SpaceChecker(History(5, records)).violations()}


def without(kind: type[Record], **fields: object) -> Callable[[list[Record]], None]:
    """Take the record of this kind with these fields out."""

    def take(records: list[Record]) -> None:
        wanted = fields.items()
        found = [r for r in records if isinstance(r, kind) and all(getattr(r, name) == is_ for name, is_ in wanted)]
        records.remove(found[0])

    return take


def adding(*added: Record) -> Callable[[list[Record]], None]:
    return lambda records: records.extend(added)


def replacing(old: type[Record], new: Record) -> Callable[[list[Record]], None]:
    def replace(records: list[Record]) -> None:
        place = next(place for place, record in enumerate(records) if isinstance(record, old))
        records[place] = new

    return replace


def test_a_right_history_passes_and_owes_two():
    checker = SpaceChecker(History(5, right()))
    assert list(checker.violations()) == []
    assert sorted((rule, one.sent.event) for rule, _, one in checker.owed()) == [("causal", E1), ("missing", E2)]
    assert not checker.is_owing()


@pytest.mark.parametrize(
    ("bug", "rule"),
    [
        (without(Notified, event=E2), "missing"),
        (without(Notified, event=E1), "causal"),
        (adding(Notified(3.0, "n1", "s1", E1, answer(E1))), "twice"),
        (adding(Notified(3.0, "n1", "s1", E3, answer(E3))), "false"),
        (adding(Notified(3.0, "n2", "s1", E2, answer(E2))), "false"),
        (adding(Unsubscribed(3.0, "n1", "s1"), Notified(3.1, "n1", "s1", E2, answer(E2))), "false"),
        (replacing(Notified, Notified(1.4, "n1", "s1", E1, answer(E2))), "false"),
        (adding(Subscribed(3.0, "n1", "s2", QUERY), Arrived(3.1, "n1", E1, ("s2",))), "early"),
        (without(Published, event=E2), "unacknowledged"),
        (adding(Subscribed(3.0, "n2", "s2", QUERY)), "unestablished"),
        (adding(Leaving(3.0, "n2")), "lingering"),
        (replacing(Published, Refused(1.5, "n1", E1)), "refused"),
        (adding(Sent(3.0, "n2", E1, OTHER), Published(3.1, "n2", E1)), "refused"),
        (without(Answered), "unanswered"),
        (replacing(Answered, Answered(2.1, "n2", 7, QUADS[1:])), "incomplete"),
        (replacing(Answered, Answered(2.1, "n2", 7, (*QUADS, *points_of(TEXTS[E3])))), "invented"),
        (replacing(Answered, Answered(2.1, "n2", 7, (*QUADS, QUADS[0]))), "repeated"),
    ],
)
def test_each_bug_is_found_and_named(bug: Callable[[list[Record]], None], rule: str):
    records = right()
    bug(records)
    assert rule in rules(records)


@pytest.mark.parametrize(
    "change",
    [
        # A subscription that was neither established nor issued at the publisher's node may miss an event or not.
        adding(Subscribed(3.0, "n1", "s2", QUERY), Sent(3.1, "n2", E3, TEXTS[E3]), Published(3.2, "n2", E3)),
        adding(
            Subscribed(3.0, "n1", "s2", QUERY),
            Sent(3.1, "n2", E3, TEXTS[E3]),
            Notified(3.1, "n1", "s2", E3, answer(E3)),
            Published(3.2, "n2", E3),
        ),
        # What a node that is gone for good had not acknowledged may be lost.
        adding(Sent(3.0, "n2", E3, TEXTS[E3]), NodeEnded(3.1, "n2")),
        # Its subscribers are gone with it.
        adding(Sent(3.0, "n2", E3, TEXTS[E3]), Published(3.1, "n2", E3), NodeEnded(3.2, "n1")),
        adding(Unsubscribed(3.0, "n1", "s1"), Sent(3.0, "n2", E3, TEXTS[E3]), Published(3.1, "n2", E3)),
        # Another content under the same IRI is refused.
        adding(Sent(3.0, "n2", E1, OTHER), Refused(3.1, "n2", E1)),
        # The same one again is acknowledged.
        adding(Sent(3.0, "n2", E1, TEXTS[E1]), Published(3.1, "n2", E1)),
    ],
)
def test_what_may_happen_is_no_violation(change: Callable[[list[Record]], None]):
    records = [*right(), Established(2.9, "n1", "s1")]
    change(records)
    if any(isinstance(record, Subscribed) and record.subscription == "s2" for record in records):
        records.append(Established(9.0, "n1", "s2"))
        records.append(Notified(9.0, "n1", "s1", E3, answer(E3)))
    assert rules(records) == set()


def test_a_query_that_is_not_strict_may_lack_something_and_go_unanswered():
    loose: list[Record] = [Asked(3.0, "n2", 8, SPACE), Asked(3.0, "n2", 9, SPACE), Answered(3.1, "n2", 8, QUADS[1:])]
    assert rules([*right(), *loose]) == set()
