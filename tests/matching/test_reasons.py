"""What each solution of a match stands on: quads of the event, and what follows from them by the taxonomy."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.matching.asking import PREFIXES, event, in_general_lane, subscription

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching import Match, Matcher
from triplewire.matching.evaluation.budget import DEFAULT_STEPS
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.evaluation.plans import query_plan
from triplewire.matching.reasons import match_reasons
from triplewire.rdf.events import Event
from triplewire.rdf.terms import RDF, RDFS, Triple
from triplewire.testing.strategies import events, fast_sparql, formulas, general_sparql, graphs, taxonomies
from triplewire.wire.reasons import QuadReason, Reason

TYPE, CLASS = RDF["type"], RDFS["Class"]
LANES = pytest.mark.parametrize("lane", ["fast", "general"])
KNOWN = Taxonomy.parse(
    PREFIXES
    + """
    :Novel rdfs:subClassOf :Book . :Book rdfs:subClassOf :Work . :Poem rdfs:subClassOf :Work .
    :writes rdfs:subPropertyOf :makes . :tods a :Journal . :Journal rdfs:subClassOf :Work .
    """
)


def reasons(asked: Subscription, on: Event, known: Taxonomy | None = None, interpret: int = 0) -> tuple[Reason, ...]:
    matcher = Matcher(known, interpret=interpret)
    matcher.add(asked)
    return tuple(reason for match in matcher.match(on) for reason in matcher.reasons(match))


def short(reason: Reason) -> list[str]:
    return [shortened(quad) for quad in reason.quads]


def shortened(said: QuadReason) -> str:
    parts = [said.quad, *(("by", *said.axioms, "from", *said.premises) if said.kind == "inferred" else ())]
    text = " ".join(parts)
    for long in (" <http://example.org/event>", str(RDF), str(RDFS), "http://example.org/", "<", ">"):
        text = text.replace(long, "")
    return text


@LANES
def test_a_solution_stands_on_the_quads_that_its_patterns_matched(lane: str):
    on = event(":a :writes :x ; :age 30 . :b :writes :y ; :age 20 . :c :age 40 .")
    asked = subscription("SELECT ?w { ?w :writes ?x ; :age ?n FILTER(?n > 25) }", lane)
    [found] = reasons(asked, on)
    assert sorted(short(found)) == ['a age "30"^^http://www.w3.org/2001/XMLSchema#integer', "a writes x"]
    assert not found.truncated


def test_copies_of_a_solution_are_told_apart():
    found = reasons(subscription("SELECT ?w { ?w :writes ?x }"), event(":a :writes :x, :y ."))
    assert sorted(map(short, found)) == [["a writes x"], ["a writes y"]]


@LANES
def test_a_type_is_inferred_by_the_axioms_on_the_way_from_what_the_event_asserts(lane: str):
    asked = subscription("SELECT ?x { ?x :title ?t FILTER(tw:isA(?x, :Work)) }", lane)
    [found] = reasons(asked, event(":n :title 'N' ; a :Novel ; :about :b . :b :title 'B' ."), KNOWN)
    assert sorted(short(found)) == [
        'n title "N"',
        "n type Novel",
        "n type Work by Novel subClassOf Book Book subClassOf Work from n type Novel",
    ]


@LANES
@pytest.mark.parametrize(
    ("condition", "inferred"),
    [
        ("tw:isA(?x, :Work)", "tods type Work by tods type Journal Journal subClassOf Work from"),
        ("tw:directInstanceOf(?x, :Journal)", "tods type Journal by tods type Journal from"),
        ("tw:isA(?p, :makes)", "writes subPropertyOf makes by writes subPropertyOf makes from"),
        ("tw:isA(?c, :Work)", "Novel subClassOf Work by Novel subClassOf Book Book subClassOf Work from"),
        ("tw:ancestorOf(?k, :Novel)", "Novel subClassOf Work by Novel subClassOf Book Book subClassOf Work from"),
    ],
)
def test_what_the_taxonomy_alone_says(condition: str, inferred: str, lane: str):
    asked = subscription(f"SELECT ?x {{ ?x ?p ?c ; :kind ?k FILTER({condition} && ?p = :writes) }}", lane)
    [found] = reasons(asked, event(":tods :writes :Novel ; :kind :Work ."), KNOWN)
    assert [line for line in short(found) if " by " in line] == [inferred]


def test_what_is_asserted_is_not_inferred():
    asked = subscription("SELECT ?x { ?x :title ?t FILTER(tw:isA(?x, :Work)) }")
    [found] = reasons(asked, event(":n :title 'N' ; a :Novel, :Work ."), KNOWN)
    assert short(found) == ['n title "N"', "n type Work"]


def test_the_first_alternative_that_is_met_counts():
    asked = subscription("SELECT ?x { ?x a ?c FILTER(tw:isA(?x, :Poem) || tw:isA(?x, :Book)) }")
    [found] = reasons(asked, event(":n a :Novel ."), KNOWN)
    assert short(found) == ["n type Novel", "n type Book by Novel subClassOf Book from n type Novel"]


@pytest.mark.parametrize(
    ("query", "behind"),
    [
        ("ASK { ?x :p ?y . ?y :q ?z }", [["a p b", "b q c"]]),
        ("CONSTRUCT { ?x :to ?z } { ?x :p ?y . ?y :q ?z }", [["a p b", "b q c"]]),
        ("SELECT DISTINCT ?x { ?x :p ?y }", [["a p b"]]),
        ("SELECT ?x { :a :p/:q ?x }", [["a p b", "b q c"]]),
        ("SELECT ?x { :a (:p|:q)+ ?x }", [["a p b"], ["a p b", "b q c"]]),
        ("SELECT (COUNT(*) AS ?n) { ?x ?p ?y FILTER(?p IN (:p, :q)) }", [["a p b", "b q c"]]),
        ("SELECT ?x ?z { ?x :p ?y OPTIONAL { ?y :q ?z } }", [["a p b", "b q c"]]),
        ("SELECT ?x { ?x :p ?y MINUS { ?x :q ?y } }", [["a p b"]]),
        ("SELECT ?x { ?x :p ?y FILTER EXISTS { ?y :q ?z } }", [["a p b", "b q c"]]),
        ("SELECT ?x ?g { GRAPH ?g { ?x :p ?y } }", [["a p b"]]),
    ],
)
def test_every_form(query: str, behind: list[list[str]]):
    found = reasons(subscription(query), event(":a :p :b . :b :q :c . :c :r :d ."))
    assert sorted(sorted(short(one)) for one in found) == behind


def test_what_depends_on_chance_has_no_reason_that_anybody_could_find():
    [found] = reasons(
        subscription("SELECT ?n { :a :p :b BIND(STRUUID() AS ?n) OPTIONAL { ?n :q :c } }"), event(":a :p :b .")
    )
    assert (found.quads, found.truncated) == ((), True)


@LANES
def test_too_much_work_leaves_out_reasons_and_nothing_else(lane: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(match_reasons, "_FAST_STEPS", 1)
    monkeypatch.setattr(match_reasons, "_GENERAL_STEPS", 1)
    found = reasons(subscription("SELECT ?x ?y { ?x :p ?y . ?y :q ?z }", lane), event(":a :p :b . :b :q 1, 2 ."))
    assert found == (Reason(truncated=True),) * 2


def test_a_search_that_is_ended_tells_what_is_enough():
    on = event(" ".join(f":a{n} :p :b{n} ." for n in range(40)))
    matcher = Matcher()
    matcher.add(subscription("SELECT ?x { ?x :p :b7 } ", "general"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match_reasons, "_GENERAL_STEPS", 150)
        [match] = matcher.match(on)
        [found] = matcher.reasons(match)
    assert found.truncated
    assert "a7 p b7" in short(found)
    assert 1 < len(found.quads) < 40


def test_only_so_many_solutions_get_a_reason(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(match_reasons, "MOST_EXPLAINED", 1)
    found = reasons(subscription("SELECT ?x { ?x :p ?y }"), event(":a :p :b . :c :p :d ."))
    assert [one.truncated for one in found] == [False, True]


def test_a_subscription_that_is_gone_has_no_reasons():
    matcher = Matcher()
    matcher.add(subscription("SELECT ?x { ?x :p ?y }"))
    [match] = matcher.match(event(":a :p :b ."))
    matcher.remove("s")
    assert matcher.reasons(match) == ()


# What must hold of every reason


def check(texts: Sequence[str], language: str, on: Event, known: tuple[Triple, ...], *, lane: str = "") -> None:
    """Every solution is there over what its reason says, and that is in the event or follows from it."""
    taxonomy = Taxonomy.from_triples(known)
    for asked in {text: Subscription.parse(text, language) for text in texts}.values():
        asked = in_general_lane(asked) if lane else asked
        matcher = Matcher(taxonomy, interpret=len(texts))
        matcher.add(asked)
        for match in matcher.match(on):
            found = matcher.reasons(match)
            assert len(found) == len(match.solutions)
            for solution, reason in zip(match.solutions, found, strict=True):
                if not reason.truncated:
                    follows(reason, on, taxonomy)
                    suffices(reason, solution, asked, match, taxonomy)


def follows(reason: Reason, on: Event, taxonomy: Taxonomy) -> None:
    asserted = {one.quad for one in reason.quads if one.kind == "asserted"}
    assert asserted <= {line.removesuffix(" .") for line in on.nquads.decode().splitlines()}
    said = {str(triple) for triple in taxonomy.triples}
    for one in (one for one in reason.quads if one.kind == "inferred"):
        assert set(one.premises) <= asserted
        assert one.axioms
        assert set(one.axioms) <= said
        assert one.quad in closure([*one.axioms, *(line.removesuffix(f" {on.graph}") for line in one.premises)])


def closure(lines: Sequence[str]) -> set[str]:
    """What follows by RDFS's rules 5, 7, 9 and 11, applied until nothing new comes."""
    up = {f"<{RDFS}subClassOf>": f"<{RDFS}subClassOf>", f"<{RDFS}subPropertyOf>": f"<{RDFS}subPropertyOf>"}
    up[str(TYPE)] = f"<{RDFS}subClassOf>"
    found = {tuple(line.split(" ")) for line in lines}
    while True:
        more = {(s, p, above) for s, p, o in found for low, by, above in found if o == low and up.get(p) == by} - found
        if not more:
            return {" ".join(line) for line in found}
        found |= more


def suffices(reason: Reason, solution: object, asked: Subscription, match: Match, taxonomy: Taxonomy) -> None:
    triples = [
        triple
        for triple in match.event.triples
        if any(one.quad == f"{triple} {match.event.graph}" for one in reason.quads)
    ]
    declared = [Triple(node, TYPE, CLASS) for node in taxonomy.nodes if taxonomy.knows(node)]
    axioms = {axiom for one in reason.quads for axiom in one.axioms}
    less = Taxonomy.from_triples([*declared, *(t for t in taxonomy.triples if str(t) in axioms)])
    # There may be no triple at all, which `Event.from_triples` refuses.
    smaller = Event(match.event.graph, tuple(triples), b"", match.event.time)
    found = query_plan(asked.query).answer(EventView.of(smaller, less), DEFAULT_STEPS)
    assert found is not None
    assert solution in found.solutions, (asked.text, solution, reason)


@settings(max_examples=60, deadline=None)
@given(events(), taxonomies(), st.data())
def test_fast_sparql(on: Event, known: tuple[Triple, ...], data: st.DataObject):
    check(data.draw(st.lists(fast_sparql(on.triples), min_size=1, max_size=4)), "sparql", on, known)


@settings(max_examples=30, deadline=None)
@given(events(), taxonomies(), st.data())
def test_fast_sparql_in_the_general_lane(on: Event, known: tuple[Triple, ...], data: st.DataObject):
    check(data.draw(st.lists(fast_sparql(on.triples), min_size=1, max_size=2)), "sparql", on, known, lane="general")


@settings(max_examples=30, deadline=None)
@given(events(), taxonomies(), st.data())
def test_general_sparql(on: Event, known: tuple[Triple, ...], data: st.DataObject):
    check(data.draw(st.lists(general_sparql(on.triples), min_size=1, max_size=2)), "sparql", on, known)


@settings(max_examples=60, deadline=None)
@given(events(), taxonomies(), st.data())
def test_formulas(on: Event, known: tuple[Triple, ...], data: st.DataObject):
    check(data.draw(st.lists(formulas(on.triples), min_size=1, max_size=4)), "formula", on, known)


@settings(max_examples=60, deadline=None)
@given(events(), taxonomies(), st.data())
def test_graphs(on: Event, known: tuple[Triple, ...], data: st.DataObject):
    check(data.draw(st.lists(graphs(on.triples), min_size=1, max_size=4)), "graph", on, known)
