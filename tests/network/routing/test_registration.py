"""The registration message in RDF."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.network.routing.paper import DC, SCHEMAS, TABLE_1, VALUES

from triplewire.algebra import Advertisement
from triplewire.errors import InputError, LimitExceeded
from triplewire.network.routing.advertisements.registration import MOST_ADVERTISEMENTS, Registration, registration_in
from triplewire.testing.strategies import advertisements

_NAMES = f"@prefix tw: <urn:triplewire:> . @prefix dc: <{DC}> . "
_SCHEMA = "tw:advertises [ a tw:SchemaAdvertisement ; tw:schema dc: ]"


def test_the_message_of_example_5():
    """`In the architecture of Section 3 this advertisement will be sent using the RDF file given in the appendix.`"""
    read = registration_in(Registration("SP1", (SCHEMAS, VALUES), 3600).to_turtle())
    assert read == Registration("SP1", (SCHEMAS, VALUES), 3600)
    assert read.description == TABLE_1["SP1"]


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    st.lists(advertisements(), min_size=1, max_size=3),
    st.none() | st.integers(1, 10**8),
)
def test_what_is_registered_is_read_back(peer, given_, lasts):
    read = registration_in(Registration(peer, tuple(given_), lasts).to_turtle())
    assert (read.peer, read.lasts) == (peer, lasts)
    assert read.description == Registration(peer, tuple(given_)).description


def test_it_may_be_written_by_hand():
    read = registration_in(f'{_NAMES}<urn:me> a tw:Registration ; tw:peer "bob" ; {_SCHEMA} .')
    assert read == Registration("bob", (Advertisement.schemas([DC]),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "exactly one node of type tw:Registration, found 0"),
        (f'[] a tw:Registration ; tw:peer "a" ; {_SCHEMA} . [] a tw:Registration .', "found 2"),
        (f"[] a tw:Registration ; {_SCHEMA} .", "tw:peer wants one public identifier, found none"),
        (f'[] a tw:Registration ; tw:peer "a", "b" ; {_SCHEMA} .', "tw:peer wants one public identifier, found"),
        (f'[] a tw:Registration ; tw:peer "" ; {_SCHEMA} .', "tw:peer wants one public identifier"),
        (f"[] a tw:Registration ; tw:peer <urn:a> ; {_SCHEMA} .", "tw:peer wants one public identifier"),
        ('[] a tw:Registration ; tw:peer "a" .', "tw:advertises wants at least one advertisement"),
        ('[] a tw:Registration ; tw:peer "a" ; tw:advertises <urn:x> .', "of one of the three kinds, found <urn:x>"),
        (
            f'[] a tw:Registration ; tw:peer "a" ; {_SCHEMA} . <urn:y> a tw:PropertyAdvertisement ; tw:property dc:a .',
            "found <urn:y> beside it",
        ),
        (f'[] a tw:Registration ; tw:peer "a" ; tw:lasts 0 ; {_SCHEMA} .', "tw:lasts wants a whole number"),
        (f'[] a tw:Registration ; tw:peer "a" ; tw:lasts -5 ; {_SCHEMA} .', "tw:lasts wants a whole number"),
        (f'[] a tw:Registration ; tw:peer "a" ; tw:lasts "soon" ; {_SCHEMA} .', "tw:lasts wants a whole number"),
        (f'[] a tw:Registration ; tw:peer "a" ; tw:lasts 99999999999999 ; {_SCHEMA} .', "tw:lasts wants"),
        ("[] a tw:Registration", "."),
    ],
)
def test_a_wrong_message_says_what_was_wanted_and_found(text, message):
    with pytest.raises(InputError, match=message):
        registration_in(_NAMES + text)


def test_too_many_advertisements_are_refused():
    listed = ", ".join("[ a tw:SchemaAdvertisement ; tw:schema dc: ]" for _ in range(MOST_ADVERTISEMENTS + 1))
    with pytest.raises(LimitExceeded, match="at most 1,000 advertisements, found 1,001"):
        registration_in(f'{_NAMES}[] a tw:Registration ; tw:peer "a" ; tw:advertises {listed} .')
