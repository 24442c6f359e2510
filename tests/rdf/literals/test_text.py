"""CONTAINS, STRSTARTS and STRENDS, with SPARQL's argument compatibility rules."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import BaseDirection
from tests.rdf.literals.nasty_terms import TERMS
from tests.rdf.literals.oracle import outcomes

from triplewire.rdf.literals.strings import contains, ends_with, starts_with
from triplewire.rdf.terms import Literal, Term

EXPRESSIONS = ["CONTAINS(?a, ?b)", "STRSTARTS(?a, ?b)", "STRENDS(?a, ?b)"]


def ours(a: Term, b: Term) -> tuple[bool | None, ...]:
    return contains(a, b), starts_with(a, b), ends_with(a, b)


def differences(terms: list[Term]) -> list[str]:
    return [
        f"{a} ? {b}: wanted {wanted}, found {ours(a, b)}"
        for a, b, wanted in outcomes(EXPRESSIONS, terms, terms)
        if ours(a, b) != wanted
    ]


def test_all_pairs_of_nasty_terms_relate_as_in_oxigraph() -> None:
    assert differences(TERMS) == []


_tags = st.sampled_from(
    [{}, {"language": "en"}, {"language": "de"}, {"language": "en", "direction": BaseDirection.LTR}]
)
_texts = st.builds(lambda text, tag: Literal(text, **tag), st.text("aAä𝄞", max_size=4), _tags)


@settings(max_examples=60, deadline=None)
@given(st.lists(_texts, min_size=2, max_size=12))
def test_generated_strings_relate_as_in_oxigraph(terms: list[Term]) -> None:
    assert differences(terms) == []


@pytest.mark.parametrize(
    ("text", "part", "outcome"),
    [
        (Literal("foobar"), Literal("bar"), True),
        (Literal("foobar", language="en"), Literal("bar"), True),
        (Literal("foobar", language="en"), Literal("foo", language="en"), True),
        (Literal("foobar"), Literal("bar", language="en"), None),
        (Literal("foobar", language="en"), Literal("bar", language="fr"), None),
        (Literal("foobar"), Literal("x"), False),
    ],
)
def test_contains_by_the_examples_of_sparql_17_4_3_8(text: Literal, part: Literal, outcome: bool | None) -> None:
    assert contains(text, part) is outcome
