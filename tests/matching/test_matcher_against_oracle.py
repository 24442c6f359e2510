"""The matcher says what the oracle says: on generated events, subscriptions and taxonomies, and on every workload."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import event as note
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sweeps import sweep

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching import Matcher
from triplewire.rdf.events import Event
from triplewire.rdf.terms import Triple
from triplewire.testing import Oracle, OracleUndecided, answers_of, same_answers, workloads
from triplewire.testing.strategies import (
    canonical_events,
    events,
    fast_sparql,
    formulas,
    general_sparql,
    graphs,
    taxonomies,
)


def examples(count: int) -> int:
    """How many examples: the given number, or ten times as many under the thorough profile."""
    return count if settings().max_examples <= 100 else 10 * count


def check(texts: list[str], language: str, event: Event, known: tuple[Triple, ...]) -> None:
    """Every subscription, all in one matcher, answers as the oracle does: by kernels, and without them."""
    subscriptions = {s.id: s for s in (Subscription.parse(text, language) for text in texts)}
    matchers = [Matcher(Taxonomy.from_triples(known), interpret=evaluations) for evaluations in (0, len(texts))]
    for matcher in matchers:
        for subscription in subscriptions.values():
            matcher.add(subscription)
    found = [{match.subscription_id: match for match in matcher.match(event)} for matcher in matchers]
    assert not any(matcher.quarantined for matcher in matchers)
    oracle = Oracle(known)
    for name, subscription in subscriptions.items():
        try:
            wanted = oracle.match(subscription, event)
        except OracleUndecided as undecided:
            note(f"undecided: {undecided.reasons['rdflib']}")
            continue
        note("matches" if wanted else "does not match")
        for got in (answers_of(subscription, matches.get(name)) for matches in found):
            assert same_answers(got, wanted), f"{subscription.text}\nmatcher: {got}\noracle:  {wanted}"


@settings(max_examples=examples(40))
@given(events(), taxonomies(), st.data())
def test_fast_sparql(event: Event, known: tuple[Triple, ...], data: st.DataObject) -> None:
    check(data.draw(st.lists(fast_sparql(event.triples), min_size=3, max_size=6)), "sparql", event, known)


@settings(max_examples=examples(60))
@given(canonical_events(), taxonomies(), st.data())
def test_fast_sparql_on_literals_that_oxigraph_keeps(
    event: Event, known: tuple[Triple, ...], data: st.DataObject
) -> None:
    check(data.draw(st.lists(fast_sparql(event.triples), min_size=3, max_size=6)), "sparql", event, known)


@settings(max_examples=examples(25))
@given(events(), taxonomies(), st.data())
def test_formulas(event: Event, known: tuple[Triple, ...], data: st.DataObject) -> None:
    check(data.draw(st.lists(formulas(event.triples), min_size=3, max_size=6)), "formula", event, known)


@settings(max_examples=examples(40))
@given(events(), taxonomies(), st.data())
def test_graphs(event: Event, known: tuple[Triple, ...], data: st.DataObject) -> None:
    check(data.draw(st.lists(graphs(event.triples), min_size=3, max_size=6)), "graph", event, known)


@settings(max_examples=examples(25))
@given(canonical_events(), taxonomies(), st.data())
def test_general_sparql(event: Event, known: tuple[Triple, ...], data: st.DataObject) -> None:
    check(data.draw(st.lists(general_sparql(event.triples), min_size=2, max_size=4)), "sparql", event, known)


@settings(max_examples=examples(15))
@given(events(), taxonomies(), st.data())
def test_general_sparql_on_literals_in_any_form(event: Event, known: tuple[Triple, ...], data: st.DataObject) -> None:
    check(data.draw(st.lists(general_sparql(event.triples), min_size=2, max_size=4)), "sparql", event, known)


ANY = (events(), taxonomies(), st.data())
CANONICAL = (canonical_events(), taxonomies(), st.data())
test_fast_sparql_often = sweep(test_fast_sparql, *ANY, examples=200)
test_fast_sparql_on_literals_that_oxigraph_keeps_often = sweep(
    test_fast_sparql_on_literals_that_oxigraph_keeps, *CANONICAL, examples=300
)
test_formulas_often = sweep(test_formulas, *ANY, examples=100)
test_graphs_often = sweep(test_graphs, *ANY, examples=200)
test_general_sparql_often = sweep(test_general_sparql, *CANONICAL, examples=150)
test_general_sparql_on_literals_in_any_form_often = sweep(
    test_general_sparql_on_literals_in_any_form, *ANY, examples=100
)


SMALL = {
    "mixed": workloads.mixed(120, 6, seed=1, matches_per_event=4, languages=("sparql", "formula", "graph")),
    "zipf": workloads.zipf(120, 6, seed=2, matches_per_event=4, languages=("sparql", "formula", "graph")),
    "ranges": workloads.ranges(120, 6, seed=3, matches_per_event=4, languages=("sparql", "formula", "graph")),
    "substrings": workloads.substrings(120, 6, seed=4, matches_per_event=4),
    "taxonomy": workloads.taxonomy(120, 6, seed=5, matches_per_event=4),
    "graphs": workloads.graphs(120, 6, seed=6, matches_per_event=4),
    "library": workloads.library(120, 6, seed=7, matches_per_event=4),
    "gtopss": workloads.gtopss(60, 3, seed=8),
}


@pytest.mark.parametrize("name", SMALL)
def test_workloads(name: str) -> None:
    workload = SMALL[name]
    taxonomy = Taxonomy.parse(workload.taxonomy) if workload.taxonomy else None
    subscriptions = {s.id: s for s in workload.subscriptions()}
    matcher, oracle = Matcher(taxonomy), Oracle(taxonomy)
    for subscription in subscriptions.values():
        matcher.add(subscription)
    matches: Counter[str] = Counter()
    for event in workload.events():
        found = {match.subscription_id: match for match in matcher.match(event)}
        matches.update(found.keys())
        for identifier, subscription in subscriptions.items():
            got = answers_of(subscription, found.get(identifier))
            assert same_answers(got, oracle.match(subscription, event)), subscription.text
    assert matches


def test_churn() -> None:
    churn = workloads.churn(60, 8, seed=9, matches_per_event=6, replacements_per_event=5)
    matcher, oracle = Matcher(), Oracle()
    held = {s.id: s for s in churn.workload.subscriptions()}
    for subscription in held.values():
        matcher.add(subscription)
    for step in churn.steps():
        if isinstance(step, workloads.Replacement):
            matcher.remove(step.removed)
            del held[step.removed]
            row = step.added
            held[row.id] = Subscription.parse(row.text, row.language, id=row.id)
            matcher.add(held[row.id])
            continue
        (event,) = Event.parse(step)
        found = {match.subscription_id for match in matcher.match(event)}
        assert found == {name for name, subscription in held.items() if oracle.match(subscription, event)}
