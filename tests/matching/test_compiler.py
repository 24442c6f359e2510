"""Subscriptions that were compiled elsewhere are matched as those that were added here."""

from __future__ import annotations

import pytest

from triplewire.errors import DuplicateSubscription, InputError, SnapshotError
from triplewire.matching import Compiler, Matcher
from triplewire.matching.general.plan import GeneralPlan
from triplewire.matching.matcher import Subscription
from triplewire.matching.segments.parts import read_part
from triplewire.rdf.events import Event
from triplewire.testing import workloads


def subscriptions(kind: str = "library", count: int = 200) -> list[Subscription]:
    return list(getattr(workloads, kind)(count, 1).subscriptions())


def part(some: list[Subscription]) -> bytes:
    compiler = Compiler()
    for subscription in some:
        compiler.add(subscription)
    return compiler.part()


def found(matcher: Matcher, events: list[Event]) -> list[tuple[str, str, list[object]]]:
    batch = matcher.match_nquads(b"".join(event.nquads for event in events))
    return [(match.event.graph.value, match.subscription_id, list(match.solutions)) for match in batch]


@pytest.mark.parametrize("kind", ["mixed", "library", "taxonomy"])
def test_parts_answer_as_one_matcher_does(kind):
    workload = getattr(workloads, kind)(300, 40)
    everyone, events = list(workload.subscriptions()), list(workload.events())
    added, compiled = Matcher(), Matcher()
    for subscription in everyone:
        added.add(subscription)
    compiled.add_parts([part(everyone[:100]), part(everyone[100:250]), part(everyone[250:])])
    assert found(added, events) == found(compiled, events)
    assert compiled.subscriptions == tuple(everyone)


def test_parts_beside_others_and_with_removals():
    everyone = subscriptions()
    matcher = Matcher()
    for subscription in everyone[:50]:
        matcher.add(subscription)
    matcher.add_parts([part(everyone[50:])])
    matcher.remove(everyone[60].id)
    matcher.add(everyone[60])
    assert sorted(s.id for s in matcher.subscriptions) == sorted(s.id for s in everyone)
    assert matcher.subscriptions[-1] == everyone[60]


@pytest.mark.parametrize("first", ["added", "compiled", "in the same parts"])
def test_an_identifier_that_is_taken_changes_nothing(first):
    everyone, matcher = subscriptions(), Matcher()
    parts = [part(everyone[10:])]
    if first == "added":
        matcher.add(everyone[20])
    elif first == "compiled":
        matcher.add_parts([part(everyone[20:30])])
    else:
        parts.append(part(everyone[20:21]))
    before = matcher.subscriptions
    with pytest.raises(DuplicateSubscription, match=repr(everyone[20].id)):
        matcher.add_parts(parts)
    assert matcher.subscriptions == before


def test_no_parts_and_empty_parts():
    matcher = Matcher()
    matcher.add_parts([])
    matcher.add_parts([Compiler().part()])
    assert len(matcher) == 0


def test_what_a_matcher_refuses_a_compiler_refuses(monkeypatch):
    query = Subscription.parse("ASK { ?s <urn:p> ?o OPTIONAL { ?o <urn:q> ?x } }", id="s")

    def refuse(plan: GeneralPlan) -> None:
        raise InputError("wanted another query")

    monkeypatch.setattr(GeneralPlan, "check", refuse)
    for target in (Matcher(), Compiler()):
        with pytest.raises(InputError, match="wanted another query"):
            target.add(query)


def test_the_snapshot_of_parts_opens(tmp_path):
    everyone = subscriptions()
    matcher = Matcher()
    matcher.add_parts([part(everyone)])
    matcher.save(tmp_path / "snapshot")
    assert Matcher.open(tmp_path / "snapshot").subscriptions == tuple(everyone)


@pytest.mark.parametrize("damage", [lambda data: data[:40], lambda data: b"", lambda data: data[:8] + b"x" + data[9:]])
def test_a_damaged_part_is_refused(damage):
    with pytest.raises(SnapshotError, match="part of an index is damaged"):
        read_part(damage(part(subscriptions())))
