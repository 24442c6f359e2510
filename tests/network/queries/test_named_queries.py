"""Queries by name: where a bound or a value would be wrong to use, and which zones a query touches."""

from __future__ import annotations

import pytest
from tests.network.queries.asking import Space, same_by_label

from triplewire.errors import InputError, LimitExceeded, RefusedFeature
from triplewire.network.can.geometry.coordinates import coordinate
from triplewire.network.can.geometry.space import SPACE, Dimension, Interval, Zone
from triplewire.network.queries.explain import explain
from triplewire.network.queries.space_query import Done, Fetch, SpaceQuery, SpaceQueryLimits
from triplewire.rdf.events import Event
from triplewire.rdf.terms import NamedNode

INTEGER, INT = (f"<http://www.w3.org/2001/XMLSchema#{name}>" for name in ("integer", "int"))
DATA = f"""
<urn:a> <urn:p> <urn:b> <urn:e1> .
<urn:a> <urn:q> <urn:v> <urn:e1> .
<urn:w> <urn:r> <urn:c> <urn:e1> .
<urn:k> <urn:r> <urn:c> <urn:e2> .
<urn:s> <urn:n> "01"^^{INT} <urn:e1> .
<urn:t> <urn:m> "1"^^{INTEGER} <urn:e2> .
<urn:t> <urn:name> "Ann" <urn:e2> .
<urn:z> <urn:name> "Zoe" <urn:e3> .
<urn:z> <urn:knows> <urn:t> <urn:e3> .
<urn:a> <urn:p> <urn:b> <urn:e3> .
<urn:x> <urn:says> <<( <urn:s> <urn:n> "01"^^{INT} )>> <urn:e3> .
<urn:y> <urn:heard> <<( <urn:s> <urn:n> "1"^^{INTEGER} )>> <urn:e3> .
_:b <urn:p> _:b <urn:e4> .
_:b <urn:q> "m\\u007F" <urn:e4> .
_:b <urn:p> <urn:b> <urn:e5> .
"""
EVENTS = Event.parse(DATA)


def by(dimension: Dimension, *borders: str) -> list[Zone]:
    """Zones that differ in one dimension only."""
    ends = [b"", *(coordinate(NamedNode(border)) for border in borders)]
    sides = [Interval(lower, upper) for lower, upper in zip(ends, [*ends[1:], None], strict=True)]
    return [SPACE.with_side(dimension, side) for side in sides]


ZONES = [
    zone.with_side(Dimension.SUBJECT, other.subject)
    for zone in by(Dimension.PREDICATE, "urn:n", "urn:q")
    for other in by(Dimension.SUBJECT, "urn:b", "urn:t", "urn:y")
]


@pytest.mark.parametrize(
    "text",
    [
        # What OPTIONAL finds for ?v does not meet the pattern behind it: no other may take its place.
        "SELECT * { ?a <urn:p> ?b OPTIONAL { ?a <urn:q> ?v } ?v <urn:r> ?c }",
        "SELECT * { ?v <urn:r> ?c { ?a <urn:p> ?b OPTIONAL { ?a <urn:q> ?v } } }",
        "SELECT * { ?a <urn:p> ?b OPTIONAL { ?a <urn:q> ?v } FILTER(!BOUND(?v) || ?v = <urn:w>) }",
        "SELECT * { ?a <urn:p> ?b OPTIONAL { ?a <urn:q> ?v } FILTER(?v = <urn:w>) }",
        "SELECT * { ?a <urn:p> ?b MINUS { ?a <urn:q> ?v } ?v <urn:r> ?c }",
        "SELECT * { ?a <urn:p> ?b FILTER NOT EXISTS { ?a <urn:q> ?v } }",
        # Numbers join by value, also within triple terms.
        "SELECT * { ?s <urn:n> ?v . ?t <urn:m> ?v }",
        "SELECT * { ?s <urn:n> 1 }",
        "SELECT * { ?x <urn:says> ?v . ?y <urn:heard> ?v }",
        "SELECT * { ?s <urn:n> ?v FILTER(STRSTARTS(STR(?v), '1')) }",
        # A sub-select that cuts or counts needs all its solutions.
        "SELECT * { ?x <urn:knows> ?z { SELECT ?x { ?x <urn:name> ?y } ORDER BY ?x LIMIT 1 } }",
        "SELECT * { ?x <urn:name> ?z FILTER(?z = 'Zoe') { SELECT ?x { ?x <urn:name> ?y } ORDER BY ?x LIMIT 1 } }",
        "SELECT * { ?z <urn:knows> ?t { SELECT (COUNT(*) AS ?n) { ?z <urn:name> ?y } } }",
        "SELECT (COUNT(*) AS ?n) { ?z <urn:name> ?y } VALUES ?z { <urn:z> }",
        # Paths of no length, from and to what is there and what is not.
        "SELECT * { ?x <urn:nowhere>* ?y }",
        "SELECT * { ?x <urn:nowhere>* <urn:c> }",
        "SELECT * { <urn:a> <urn:nowhere>? <urn:a> }",
        "SELECT * { ?x <urn:p>* <urn:not-there> }",
        "SELECT * { ?x <urn:name> 'Zoe' . ?x <urn:knows>* ?y }",
        "SELECT * { GRAPH <urn:e2> { <urn:a> <urn:p>* ?y } }",
        "SELECT * { GRAPH ?g { <urn:a> <urn:p>* ?y } }",
        "SELECT * { <urn:z> <urn:knows>?/<urn:name> ?n }",
        "SELECT * { ?x !(<urn:p>|^<urn:q>) ?y }",
        "SELECT * { ?x (<urn:knows>/<urn:name>)+ ?y }",
        # Names of graphs.
        "SELECT * { GRAPH ?g { } }",
        "SELECT * { GRAPH <urn:e1> { } }",
        "SELECT * { GRAPH <urn:e9> { } }",
        "SELECT * { GRAPH ?g { OPTIONAL { ?x <urn:knows> ?y } } }",
        "SELECT * { ?x <urn:knows> ?t GRAPH ?g { ?x <urn:p> ?g } }",
        "SELECT * { GRAPH ?g { ?a <urn:p> ?b OPTIONAL { ?a <urn:q> ?g } } }",
        "SELECT * { GRAPH ?g { { SELECT * { ?a <urn:p> ?b } LIMIT 5 } } }",
        # A triple of two events is in the default graph once; blank nodes of two events are two.
        "SELECT * { ?a <urn:p> <urn:b> }",
        "SELECT * { ?a <urn:p> ?a }",
        # A string with DEL is above `mz`, and filed below it.
        "SELECT * { ?a <urn:q> ?v FILTER(?v > 'mz') }",
        "CONSTRUCT { ?a <urn:made> ?v } { ?a <urn:q> ?v }",
        "ASK { <urn:z> <urn:knows>/<urn:name> 'Ann' }",
        "ASK { }",
    ],
)
def test_the_answer_is_that_of_one_store(text: str) -> None:
    space = Space(EVENTS, ZONES)
    for limits in (SpaceQueryLimits(), SpaceQueryLimits(values=0), SpaceQueryLimits(boxes=1)):
        assert same_by_label(space.answer(text, limits), space.reference(text)), explain(text)


@pytest.mark.parametrize(
    ("text", "touched"),
    [
        ("SELECT * { <urn:z> <urn:name> ?n }", 1),
        ("SELECT * { <urn:z> <urn:name> ?n ; <urn:knows> ?k ; <urn:p> ?o }", 2),
        ("SELECT * { ?x <urn:name> ?n }", 4),
        ("SELECT * { ?x <urn:name> 'Zoe' }", 4),
        ("SELECT * { ?x <urn:knows> ?y . ?y <urn:name> ?n }", 5),
        ("SELECT * { ?x ?p ?o FILTER(STRSTARTS(STR(?x), 'urn:z')) }", 3),
        ("SELECT * { ?x <urn:name> ?o FILTER(STR(?x) >= 'urn:yy') }", 1),
        ("SELECT * { ?x <urn:name> ?o VALUES ?x { <urn:t> <urn:z> } }", 2),
        ("SELECT * { ?x <urn:nothing-has-this> ?o . ?x <urn:r> ?y }", 4),
        ("SELECT * { ?x ?p ?o }", 12),
    ],
)
def test_only_the_zones_that_a_pattern_touches_are_asked(text: str, touched: int) -> None:
    space = Space(EVENTS, ZONES)
    space.answer(text)
    assert len(space.asked) == touched


def test_values_that_were_found_are_carried_along_as_long_as_they_are_few() -> None:
    text = "SELECT * { ?x <urn:knows> ?y . ?y <urn:name> ?n }"
    few, many = (Space(EVENTS, ZONES).run(text, SpaceQueryLimits(values=most)) for most in (1, 0))
    assert few.accounts[1].carried == {"?y": 1}
    assert few.accounts[1].fetched == 1
    assert many.accounts[1].too_many == ("?y",)
    assert many.accounts[1].fetched == 2


def test_a_pattern_without_matches_ends_the_fetching_of_what_is_joined_with_it() -> None:
    run = Space(EVENTS, ZONES).run("SELECT * { <urn:nobody> <urn:knows> ?y . ?y <urn:name> ?n OPTIONAL { ?y ?p ?o } }")
    assert [account.boxes for account in run.accounts] == [1, 0, 0]


def test_what_was_fetched_is_not_fetched_again() -> None:
    run = Space(EVENTS).run(
        "SELECT * { ?x ?p ?y . ?y <urn:name> ?n OPTIONAL { ?x ?q ?z } }", SpaceQueryLimits(values=0)
    )
    assert [account.boxes for account in run.accounts] == [1, 1, 0]


def test_a_fetch_may_come_in_many_pages() -> None:
    space = Space(EVENTS, ZONES, page=2)
    run = space.run("SELECT * { ?x ?p ?y }")
    assert len(run.quads) == len(space.quads)
    assert len(space.fetches) == 1


def test_what_was_not_asked_for_is_dropped() -> None:
    run = SpaceQuery("SELECT * { <urn:s> ?p ?o }")
    assert isinstance(run.next(), Fetch)
    run.supply(
        [(b"<urn:e>", b"<urn:s>", b"<urn:p>", b"<urn:o>"), (b"<urn:e>", b"<urn:t>", b"<urn:p>", b"<urn:o>")], True
    )
    assert run.next() == Done()
    assert len(run.quads) == 1


def test_a_query_that_fetches_too_much_says_for_which_pattern() -> None:
    limits = SpaceQueryLimits(quads=5)
    with pytest.raises(LimitExceeded, match=r"at most 5 quads.*15 quadruples for \?x \?p \?y; bound \?x \?p \?y"):
        Space(EVENTS, ZONES).run("SELECT * { ?x ?p ?y }", limits)
    with pytest.raises(LimitExceeded, match="bytes"):
        Space(EVENTS, ZONES).run("SELECT * { ?x ?p ?y }", SpaceQueryLimits(bytes=100))


@pytest.mark.parametrize("text", ["SELECT * { SERVICE <urn:x> { ?x ?p ?y } }", "SELECT * FROM <urn:g> { ?x ?p ?y }"])
def test_what_would_leave_the_space_is_refused(text: str) -> None:
    with pytest.raises(RefusedFeature):
        SpaceQuery(text)


class TestHostile:
    """Queries that would multiply."""

    def test_values_of_several_variables_do_not_multiply_into_boxes(self) -> None:
        lines = "".join(f"<urn:{at}> <urn:{p}> <urn:{at}> <urn:e> .\n" for at in range(300) for p in "pqr")
        text = "SELECT * { ?x <urn:p> ?a . ?y <urn:q> ?b . ?x <urn:r> ?y }"
        space = Space(Event.parse(lines))
        run = space.run(text)
        assert max(account.boxes for account in run.accounts) <= SpaceQueryLimits().boxes
        assert max(len(fetch.boxes) for fetch in space.fetches) <= SpaceQueryLimits().lot
        assert same_by_label(space.answer(text), space.reference(text))

    def test_long_lists_in_filters_do_not_either(self) -> None:
        listed = ", ".join(f"<urn:{at}>" for at in range(1000))
        text = f"SELECT * {{ ?x ?p ?o FILTER(?x IN ({listed}) && ?p IN ({listed}) && ?o IN ({listed})) }}"
        assert explain(text, ZONES).steps[0].zones == 1
        wanted = SpaceQuery(text).next()
        assert isinstance(wanted, Fetch)
        assert len(wanted.boxes) <= SpaceQueryLimits().lot

    def test_too_many_joins_are_refused_before_anything_is_fetched(self) -> None:
        with pytest.raises(LimitExceeded):
            SpaceQuery("SELECT * { " + " ".join(f"?x{at} ?p{at} ?y{at} ." for at in range(150)) + " }")

    def test_a_result_that_is_too_large_is_refused(self) -> None:
        run = Space(EVENTS).run("SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }", SpaceQueryLimits(result=1000))
        with pytest.raises(InputError, match="at most 1,000 bytes"):
            run.evaluate("text/csv")
