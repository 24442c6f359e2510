"""Descriptions: canonical, readable RDF, and refused where they are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.network.routing.paper import DC, SCHEMAS, TABLE_1, VALUES

from triplewire.algebra import Advertisement, Interval, supply_of
from triplewire.errors import InputError, LimitExceeded
from triplewire.network.messages import Description
from triplewire.network.routing.advertisements.descriptions import (
    MOST_BYTES,
    advertisements_in,
    combined,
    describe,
    supply_in,
)
from triplewire.testing.strategies import advertisements


@given(st.lists(advertisements(), min_size=1, max_size=4))
def test_what_is_described_is_read_back(given_):
    description = describe(given_)
    assert supply_of(advertisements_in(description)) == supply_of(given_)
    assert describe(advertisements_in(description)) == description


@given(st.lists(advertisements(), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_equal_content_has_an_equal_key_in_any_order(given_, chance):
    shuffled = list(given_)
    chance.shuffle(shuffled)
    assert describe(shuffled) == describe(given_)


@given(advertisements(), advertisements())
def test_other_content_has_another_key(a, b):
    assert (describe([a]).key == describe([b]).key) == (supply_of([a]) == supply_of([b]))


def test_owner_and_id_are_left_out():
    ours = Advertisement.properties([f"{DC}title"], owner="Hannover", id="urn:ad:1")
    theirs = Advertisement.properties([f"{DC}title"], owner="Crete", id="urn:ad:2")
    assert describe([ours]) == describe([theirs])


def test_an_end_that_is_open_is_another_description():
    closed = Advertisement.values({f"{DC}year": Interval(1990, 2000)})
    open_ = Advertisement.values({f"{DC}year": Interval(1990, 2000, high_open=True)})
    assert describe([closed]).key != describe([open_]).key


def test_values_of_one_property_are_put_together():
    apart = [Advertisement.values({f"{DC}creator": name}) for name in ("Nejdl", "Koubarakis")]
    together = Advertisement.values({f"{DC}creator": ["Koubarakis", "Nejdl"]})
    assert describe(apart) == describe([together])


def test_several_levels_are_several_advertisements_in_one_document():
    assert advertisements_in(TABLE_1["SP1"]) == (SCHEMAS, VALUES)


@pytest.mark.parametrize(
    ("rdf", "message"),
    [
        ("", "at least one advertisement, found none"),
        ("<urn:a> <urn:b> <urn:c> .", "at least one advertisement, found none"),
        ("[] a <urn:triplewire:SchemaAdvertisement> .", "tw:schema wants one IRI or more, found none"),
        ("this is no Turtle", "."),
        ("[] a <urn:triplewire:SchemaAdvertisement> ; <urn:triplewire:schema> <urn:x:> .", "wants its own key"),
    ],
)
def test_what_is_no_description_is_refused(rdf, message):
    with pytest.raises(InputError, match=message):
        advertisements_in(Description("a key", rdf))


def test_a_description_that_names_a_file_is_not_read_from_it(tmp_path):
    path = tmp_path / "advertisement.ttl"
    path.write_text(TABLE_1["SP1"].rdf)
    with pytest.raises(InputError):
        advertisements_in(Description(TABLE_1["SP1"].key, str(path)))


def test_nothing_to_describe_is_refused():
    with pytest.raises(InputError, match="at least one advertisement, found none"):
        describe([])


def test_a_description_that_is_too_large_is_refused():
    many = [f"urn:{'x' * 100}:{n}" for n in range(MOST_BYTES // 100)]
    with pytest.raises(LimitExceeded, match="bytes of RDF"):
        describe([Advertisement.properties(many)])
    with pytest.raises(LimitExceeded, match="bytes of RDF"):
        advertisements_in(Description("k", "#" * (MOST_BYTES + 1)))


class TestCombined:
    def test_one_is_itself_and_none_is_nothing(self):
        assert combined([TABLE_1["SP1"]]) == {TABLE_1["SP1"].key: TABLE_1["SP1"]}
        assert combined([]) == {}

    def test_schemas_of_two_registrations_are_one_row_as_in_table_1(self):
        schemas = [describe([Advertisement.schemas([name])]) for name in (DC, "urn:lom:")]
        [one] = combined(schemas).values()
        assert one == describe([Advertisement.schemas([DC, "urn:lom:"])])

    def test_values_alone_stay_beside_what_they_are_joined_to(self):
        values, schemas = describe([VALUES]), describe([Advertisement.schemas(["urn:lom:"])])
        assert set(combined([values, schemas])) > {values.key}
        assert len(combined([values, schemas])) == 2

    def test_what_is_too_long_together_is_described_more_widely(self):
        """Wider is sound: a subscription may go where nothing matches it, and is never held back."""
        names = [f"{DC}property-{number}" for number in range(9_000)]
        halves = [describe([Advertisement.properties(half)]) for half in (names[:4_500], names[4_500:])]
        [one] = combined(halves).values()
        assert supply_in(one).schemas == supply_of([Advertisement.schemas([DC])]).schemas
        assert not supply_in(one).properties

    def test_what_is_too_long_however_it_is_said_is_refused(self):
        namespaces = [f"http://example.org/a-long-name-of-a-schema/{number}#" for number in range(4_000)]
        halves = [describe([Advertisement.schemas(half)]) for half in (namespaces[:2_000], namespaces[2_000:])]
        longer = [describe([Advertisement.schemas([name + "x/" for name in half])]) for half in (namespaces[:3_000],)]
        with pytest.raises(LimitExceeded, match="bytes of RDF"):
            combined([*halves, *longer])
