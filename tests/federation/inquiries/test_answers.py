"""What of a text is told to others, and how long it may be."""

from __future__ import annotations

import pytest

from triplewire.errors import UpdateRefused
from triplewire.federation.inquiries.answers import LONGEST_TEXT, shown, without_terms
from triplewire.federation.sites.privileges import Privileges
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Triple

SECRETS = (
    NamedNode("urn:secret:1"),
    NamedNode("http://secret.example/a'b"),
    Literal('a "secret" and \\ more'),
    Literal("secret", language="en-GB"),
    Literal("secret", datatype=XSD["token"]),
    BlankNode("secret"),
)


@pytest.mark.parametrize("term", SECRETS, ids=str)
def test_no_term_is_told(term: object):
    assert "secret" not in without_terms(f"wanted no {term}, found it")
    assert without_terms(f"wanted no {term}, found it") == "wanted no …, found it"


def test_what_a_refused_write_says_is_told_without_the_triple():
    triple = Triple(NamedNode("urn:secret"), NamedNode("urn:p"), Literal("secret"))
    with pytest.raises(UpdateRefused) as refused:
        Privileges().check([triple], {})
    assert without_terms(refused.value.message) == (
        "wanted the right of other super-peers to write … … …, found private"
    )


def test_what_the_rule_base_says_is_told_as_it_is():
    for reason in (
        "SP1.2 aborts: too late",
        "SP1.2: sites that the condition concerns have not answered in time",
        "has read what SP2/17 had changed before it was compensated",
    ):
        assert without_terms(reason) == reason


def test_a_text_has_a_bounded_length():
    assert shown("x" * LONGEST_TEXT) == "x" * LONGEST_TEXT
    assert len(shown("x" * LONGEST_TEXT * 2)) == LONGEST_TEXT
    assert shown("a\nb\x1b\x07\u202ec") == "a b   c"
