"""What `explain` says, and that it says why something does not prune."""

from __future__ import annotations

import pytest
from tests.network.queries.test_named_queries import ZONES

from triplewire.network.queries.explain import explain


def test_steps_stand_in_the_order_of_fetching_with_their_bounds() -> None:
    found = explain("SELECT * { ?x <urn:p> ?y . <urn:a> <urn:q> ?x FILTER(STRSTARTS(STR(?x), 'urn:x')) }", ZONES)
    assert str(found) == (
        "1. <urn:a> <urn:q> ?x: touches at most 1 of 12 zones\n"
        "     subject: is <urn:a>\n"
        "     predicate: is <urn:q>\n"
        '     object: begins with "urn:x, or begins with <urn:x\n'
        "2. ?x <urn:p> ?y: touches at most 1 of 12 zones\n"
        "     subject: begins with <urn:x\n"
        "     predicate: is <urn:p>\n"
        "     values of ?x from step 1\n"
        "     ! ?y is not bound yet, so the object does not prune"
    )
    assert [step.zones for step in found.steps] == [1, 1]


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("SELECT * { ?x <urn:p> ?y FILTER(?y > 5) }", "does not prune as a range"),
        ("SELECT * { ?x <urn:p> ?y FILTER(?y = 5) }", "can be spelled in many ways"),
        ("SELECT * { ?x <urn:p> ?y FILTER(REGEX(?y, '^a')) }", "regular expressions do not; STRSTARTS does"),
        ("SELECT * { ?x <urn:p> ?y FILTER(?y != 'a') }", "says nothing about the order of terms"),
        ("SELECT * { ?x <urn:p> ?y }", "?x is not bound yet"),
        ("SELECT * { ?x <urn:p>* ?y }", "the steps of * and + may begin and end anywhere"),
        ("SELECT * { ?x <urn:p>* ?y }", "a path of no length leads from every node"),
        ("SELECT * { ?x !<urn:p> ?y }", "a negated property set does not prune by predicate"),
        ("SELECT * { GRAPH ?g { } }", "it needs no triple in the graph"),
    ],
)
def test_it_says_why_something_does_not_prune(text: str, remark: str) -> None:
    assert remark in str(explain(text))


def test_it_says_that_everything_or_nothing_is_fetched() -> None:
    assert "everything is fetched" in str(explain("SELECT * { ?s ?p ?o }"))
    assert str(explain("ASK { }")) == "nothing is fetched: the query asks nothing of the data"
    assert "object: nothing" in str(explain("ASK { ?s ?p ?o FILTER(?o = <urn:a> && ?o = <urn:b>) }"))
