"""What the algebra concludes never contradicts what the oracle sees.

A yes of `subsumes` or `implies` is a claim about every event, so each yes is attacked with events made from the values
on which the two queries' tests turn. `covers` and `satisfiability` are held against events that
really match: what happened cannot have been impossible.
"""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import event as note
from hypothesis import strategies as st

from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.algebra.namespaces import namespace_of
from triplewire.algebra.queries import Construct, Select
from triplewire.algebra.reasoning.covering import covers
from triplewire.algebra.reasoning.satisfiability import satisfiability
from triplewire.algebra.reasoning.subsumption import implies, subsumes
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.algebra.verdicts import Answer
from triplewire.rdf.events import Event
from triplewire.rdf.terms import XSD, Literal, NamedNode, Term, Triple
from triplewire.testing import Answers, Oracle
from triplewire.testing.strategies import canonical_events, fast_subscriptions, formulas, taxonomies
from triplewire.testing.strategies.advertisements import advertisement_of
from triplewire.testing.strategies.sparql import PROLOGUE
from triplewire.testing.strategies.terms import event_of
from triplewire.testing.strategies.vocabulary import (
    CANONICAL_LITERALS,
    CLASSES,
    EVENT_NAMES,
    PREDICATES,
    RESOURCES,
    TYPE,
)

MANY = settings().max_examples > 100
# Families of tests on one variable, over few constants: two draws from one family are often related, and not always.
_FAMILIES = {
    "numbers": (
        "{} < 1",
        "{} <= 1",
        "{} < 3",
        "{} <= 2.25",
        "{} > 1",
        "{} >= 2",
        "{} = 2",
        "{} != 2",
        "{} IN (1, 2, 3)",
    ),
    "texts": (
        'CONTAINS({}, "Nejdl")',
        'CONTAINS({}, "ej")',
        'STRSTARTS({}, "W.")',
        'STRENDS({}, "Nejdl")',
        '{} = "W. Nejdl"',
        '{} IN ("Nejdl", "W. Nejdl")',
        '{} != "Nejdl"',
        '{} > "N"',
    ),
    "dates": tuple(
        f'{{}} {sign} "{day}"^^<http://www.w3.org/2001/XMLSchema#date>'
        for sign in ("<", ">=", "=", "!=")
        for day in ("2004-01-01", "2004-01-01Z", "2005-06-30")
    ),
    "classes": tuple(
        f"tw:{name}({{}}, {cls})" for name in ("isA", "ancestorOf", "directInstanceOf") for cls in CLASSES[1:4]
    ),
}
_VALUES = {
    "numbers": (*(Literal(n) for n in range(5)), *CANONICAL_LITERALS[6:13]),
    "texts": (*(Literal(t) for t in ("W. Nejdl", "Nejdl", "ej", "W.", "x W. Nejdl y", "A")), CANONICAL_LITERALS[-4]),
    "dates": tuple(t for t in CANONICAL_LITERALS if t.datatype == XSD["date"]),
    "classes": (*RESOURCES, *CLASSES),
}


def bearing_on(name: str, family: str) -> st.SearchStrategy[str]:
    test = st.sampled_from([form.format(name) for form in _FAMILIES[family]])
    return st.one_of(
        test,
        st.builds("({} && {})".format, test, test),
        st.builds("({} || {})".format, test, test),
        st.builds("!({})".format, test),
    )


@st.composite
def related(draw, family):
    """Two SPARQL texts about the same properties, with tests of one family: the second is often the narrower one."""
    wide, narrow = draw(bearing_on("?y", family)), draw(bearing_on("?y", family))
    first, more = f"?x {PREDICATES[0]} ?y", draw(st.sampled_from(_MORE))
    both = [wide, narrow] if draw(st.booleans()) else [narrow]
    head = draw(st.sampled_from(("SELECT ?x", "SELECT ?x ?y", "SELECT ?y ?x")))
    return _query(head, [first], [wide]), _query(head, [first, *more], both)


_MORE = ([], [], ["?x ?p ?o"], [f"?x {PREDICATES[1]} ?z"], [f"?x {PREDICATES[0]} ?other"])


@st.composite
def attacks(draw, family):
    """An event about the properties that `related` asks for, with several values that the tests turn on."""
    value = st.sampled_from(_VALUES[family])
    rows = draw(st.lists(st.tuples(st.sampled_from(PREDICATES[:2]), value), min_size=1, max_size=4, unique=True))
    types = draw(st.lists(st.sampled_from(CLASSES), max_size=2, unique=True))
    told = [Triple(v, TYPE, cls) for v in {v for _, v in rows} for cls in types if isinstance(v, NamedNode)]
    return event_of(EVENT_NAMES[0], [*(Triple(RESOURCES[0], p, v) for p, v in rows), *told])


def _query(head: str, blocks: list[str], tests: list[str]) -> str:
    return f"{PROLOGUE}{head} WHERE {{ {' . '.join(blocks)} {' '.join(f'FILTER({test})' for test in tests)} }}"


def rows_of(subscription: Subscription, answers: Answers | None) -> set[tuple[Term | None, ...]]:
    """The answer set, by position of the projected variables: definition 3 compares nothing else."""
    form = subscription.query.form
    assert isinstance(form, Select)
    return {tuple(row.get(v.name) for v in form.variables) for row in answers or ()}


@pytest.mark.parametrize("family", _FAMILIES)
@settings(max_examples=600 if MANY else 60)
@given(taxonomies(), st.data())
def test_a_yes_of_subsumes_and_implies_has_no_counterexample(family, known, data):
    wide, narrow = (Subscription.parse(text) for text in data.draw(related(family)))
    taxonomy, oracle = Taxonomy.from_triples(known), Oracle(known)
    contained, implied = subsumes(wide, narrow, taxonomy), implies(narrow, wide, taxonomy)
    note(f"subsumes: {contained}, implies: {implied}")
    assert implied or not contained
    for attack in data.draw(st.lists(attacks(family), min_size=4, max_size=4)) if implied else ():
        found = oracle.match(narrow, attack)
        if found is None:
            continue
        note("attacked by a match")
        answers = oracle.match(wide, attack)
        assert answers is not None, f"{narrow.text}\nwas said to imply\n{wide.text}\nbut not on {attack.nquads!r}"
        if contained:
            assert rows_of(narrow, found) <= rows_of(wide, answers), (wide.text, narrow.text, attack.nquads)


@settings(max_examples=800 if MANY else 80)
@given(canonical_events(size=6), taxonomies(), st.data())
def test_unrelated_subscriptions_in_any_language(event, known, data):
    a, b = data.draw(fast_subscriptions(event.triples)), data.draw(fast_subscriptions(event.triples))
    # A CONSTRUCT may match and yet make no triple: the oracle, which gives its graph, cannot tell that from no match.
    if isinstance(a.query.form, Construct):
        return
    if implies(b, a, Taxonomy.from_triples(known)):
        oracle = Oracle(known)
        note("implied")
        if oracle.match(b, event) is not None:
            assert oracle.match(a, event) is not None, (a.text, b.text, event.nquads)


@settings(max_examples=800 if MANY else 80)
@given(canonical_events(size=6), taxonomies(), st.data())
def test_what_matches_was_satisfiable(event, known, data):
    subscription = data.draw(fast_subscriptions(event.triples))
    if Oracle(known).match(subscription, event) is not None:
        assert satisfiability(subscription, Taxonomy.from_triples(known)).answer is not Answer.NO


@settings(max_examples=3000 if MANY else 300)
@given(canonical_events(size=6), st.data())
def test_an_advertisement_of_what_is_published_covers_what_it_matches(event: Event, data):
    """Definitions 5, 6 and 8: a publisher of this very event has advertised all that the subscription found in it."""
    subscription = Subscription.parse(data.draw(formulas(event.triples)), "formula")
    if Oracle().match(subscription, event) is None:
        return
    note("matches")
    # Definition 7: values are constants, so a property whose object is a blank node cannot be advertised with it.
    assume(all(isinstance(t.object, NamedNode | Literal) for t in event.triples))
    properties = {t.predicate for t in event.triples}
    assert covers(Advertisement.properties(properties), subscription)
    assert covers(Advertisement.schemas({namespace_of(name) for name in properties}), subscription)
    assert covers(advertisement_of(event.triples), subscription), subscription.text
