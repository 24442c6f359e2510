"""The papers' examples in `examples/papers`, matched by trying every assignment of triples to patterns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.algebra.evaluation import met
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import FastQuery
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.languages.files import load_subscriptions
from triplewire.rdf.events import Event
from triplewire.rdf.terms import RDF, Literal, NamedNode, Namespace, Term, Triple

PAPERS = Path(__file__).parents[2] / "examples/papers"
FIGURE_6 = Taxonomy.parse(PAPERS / "taxonomies/gtopss-figure-6.ttl")
G = Namespace("http://example.org/gtopss/")
ISL = Namespace("http://www.intelligence.tuc.gr/publications/")

Binding = dict[Variable, Term]


def event_in(name: str) -> Event:
    (event,) = Event.parse(PAPERS / "events" / name)
    return event


def bound(pattern: Pattern, triple: Triple, binding: Binding) -> Binding | None:
    extended = dict(binding)
    for wanted, term in zip(pattern, triple, strict=True):
        value = extended.setdefault(wanted, term) if isinstance(wanted, Variable) else wanted
        if value != term:
            return None
    return extended


def solutions(subscription: str, event: Event, taxonomy: Taxonomy = EMPTY) -> list[Binding]:
    """Every binding, by brute force."""
    (found,) = load_subscriptions([PAPERS / "subscriptions" / subscription])
    assert isinstance(found.query, FastQuery)
    return list(_matches(found.query, event, taxonomy))


def _matches(query: FastQuery, event: Event, taxonomy: Taxonomy) -> Iterator[Binding]:
    types = {
        t.subject: [u.object for u in event.triples if u.subject == t.subject and u.predicate == RDF["type"]]
        for t in event.triples
    }
    for triples in product(event.triples, repeat=len(query.core.patterns)):
        binding: Binding | None = {}
        for pattern, triple in zip(query.core.patterns, triples, strict=True):
            binding = bound(pattern, triple, binding) if binding is not None else None
        if binding is not None and any(
            all(met(condition, binding, taxonomy, types) for condition in alternative)
            for alternative in query.core.constraint.alternatives
        ):
            yield binding


def test_chirita_example_2_is_a_publication_by_definition_4() -> None:
    event = event_in("chirita-example-2.trig")
    assert {triple.subject for triple in event.triples} == {ISL["esws04.pdf"]}
    assert len(event.triples) == 3


def test_chirita_example_2_matches_example_1() -> None:
    (found,) = solutions("chirita-example-1.formula", event_in("chirita-example-2.trig"))
    assert found[Variable("X")] == ISL["esws04.pdf"]
    assert found[Variable("Y")] == Literal("Koubarakis")


def test_chirita_example_5_is_a_value_advertisement_of_sp1() -> None:
    advertisement = Advertisement.parse(PAPERS / "advertisements/chirita-example-5.ttl")
    assert advertisement.owner == "SP1"
    assert "[2002, ∞)" in str(advertisement)
    assert '"W. Nejdl"' in str(advertisement)


def test_gtopss_figure_5_s1_matches_the_event() -> None:
    (found,) = solutions("gtopss-figure-5a.graph", event_in("gtopss-figure-5c.trig"))
    assert found == {Variable("z"): Literal("2001", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#integer"))}


def test_gtopss_figure_5_s2_matches_the_event_only_with_the_taxonomy_of_figure_6() -> None:
    event = event_in("gtopss-figure-5c.trig")
    (found,) = solutions("gtopss-figure-5b.graph", event, FIGURE_6)
    assert found[Variable("y")] == G["ArnosPaper17"]
    assert solutions("gtopss-figure-5b.graph", event) == []


@pytest.mark.parametrize("subscription", ["chirita-example-1.formula", "gtopss-figure-5a.graph"])
@pytest.mark.parametrize("event", ["eventcloud-alice-30.trig", "eventcloud-carol-no-age.trig"])
def test_other_events_match_neither(subscription: str, event: str) -> None:
    assert solutions(subscription, event_in(event), FIGURE_6) == []


@pytest.mark.parametrize(
    ("event", "names"),
    [
        ("eventcloud-alice-30.trig", ["Alice"]),
        ("eventcloud-bob-25.trig", []),
        ("eventcloud-carol-no-age.trig", []),
        ("chirita-example-2.trig", []),
    ],
)
def test_eventcloud_listing_1_1_wants_a_name_and_an_age_above_25(event: str, names: list[str]) -> None:
    found = solutions("eventcloud-listing-1-1.rq", event_in(event))
    assert [binding[Variable("name")] for binding in found] == [Literal(name) for name in names]


def test_every_event_has_a_name_of_its_own() -> None:
    names = [event_in(path.name).graph for path in (PAPERS / "events").iterdir()]
    assert len(set(names)) == len(names) == 5
