"""A chain leads to its end in exactly the events that satisfy its core, as far as the taxonomy is not asked."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triplewire.algebra.constraints import TaxonomyTest
from triplewire.algebra.queries import Core, cores_of
from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import BudgetExceeded
from triplewire.matching.chains.rewriting import Chain, chain_of
from triplewire.matching.evaluation.budget import Budget
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.join import solutions
from triplewire.rdf.events import Event
from triplewire.rdf.terms import Literal, NamedNode
from triplewire.testing import strategies

GRAPH = NamedNode("urn:e")
P, Q = NamedNode("urn:p"), NamedNode("urn:q")
A, B, C = (NamedNode(f"urn:{name}") for name in "abc")


def chain(text: str) -> Chain:
    (core,) = cores_of(Subscription.parse(text).query)
    return chain_of(core)


def asks_taxonomy(core: Core) -> bool:
    return any(isinstance(c.test, TaxonomyTest) for alternative in core.constraint.alternatives for c in alternative)


@settings(max_examples=100)
@given(strategies.events(), st.data())
def test_a_chain_leads_to_its_end_where_the_join_finds_a_solution(event: Event, data: st.DataObject) -> None:
    subscription = data.draw(strategies.subscriptions(event.triples))
    view = EventView.of(event)
    for core in cores_of(subscription.query):
        followed = chain_of(core)
        start = followed.begin(event.graph)
        ends = start is not None and followed.completes(start, view, Budget())
        satisfied = any(True for _ in solutions(core, view, Budget()))
        assert ends == satisfied or (ends and asks_taxonomy(core))


def test_what_no_later_step_asks_for_is_dropped() -> None:
    asked = chain("ASK { ?x <urn:p> ?y . ?x <urn:q> ?z }")
    start = asked.begin(GRAPH)
    assert start is not None
    assert asked.extend(start, (A, P, B)) == asked.extend(start, (A, P, C)) != asked.extend(start, (B, P, C))


def test_a_filter_stops_a_chain_at_the_step_that_binds_its_variable() -> None:
    asked = chain("ASK { ?x <urn:p> ?y . ?x <urn:q> ?z FILTER(?y > 5 || ?z < 3) FILTER(?y != 7) }")
    start = asked.begin(GRAPH)
    assert start is not None
    assert asked.extend(start, (A, P, Literal(7))) is None
    small, large = asked.extend(start, (A, P, Literal(1))), asked.extend(start, (A, P, Literal(9)))
    assert small is not None
    assert large is not None
    assert asked.extend(small, (A, Q, Literal(4))) is None
    assert asked.extend(large, (A, Q, Literal(4))) is not None


def test_a_repeated_variable_wants_the_same_term() -> None:
    asked = chain("ASK { ?x <urn:p> ?x }")
    start = asked.begin(GRAPH)
    assert start is not None
    assert asked.extend(start, (A, P, B)) is None
    assert asked.is_complete(asked.extend(start, (A, P, A)) or start)


@pytest.mark.parametrize(
    ("text", "graph"),
    [
        ("ASK { ?x <urn:p> ?y }", None),
        ("ASK { GRAPH ?g { ?x <urn:p> ?y } }", None),
        ("ASK { GRAPH <urn:e> { ?x <urn:p> ?y } }", GRAPH),
        ("ASK { GRAPH ?g { ?x <urn:p> ?y } FILTER(?g = <urn:e>) }", GRAPH),
    ],
)
def test_a_chain_knows_the_name_of_its_event(text: str, graph: NamedNode | None) -> None:
    assert chain(text).graph == graph
    assert chain(text).begin(GRAPH) is not None
    assert (chain(text).begin(A) is None) == (graph is not None)


def test_a_core_without_patterns_is_met_by_any_quad() -> None:
    asked = chain("ASK { }")
    start = asked.begin(GRAPH)
    assert start is not None
    assert asked.first_key == (None, None, None)
    assert asked.is_complete(asked.extend(start, (A, P, B)) or start)


def test_a_search_that_takes_too_much_is_stopped() -> None:
    asked = chain("ASK { ?a ?b ?c . ?d ?e ?f . ?c <urn:none> ?f }")
    start = asked.begin(GRAPH)
    assert start is not None
    lines = "".join(f"<urn:s> <urn:p> <urn:{n}> <urn:e> .\n" for n in range(50))
    with pytest.raises(BudgetExceeded):
        asked.completes(start, EventView.of(Event.parse(lines)[0]), Budget(100))
