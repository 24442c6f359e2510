"""Advertisements: definitions 5 to 7 of Chirita et al., and their RDF form."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.algebra.building import DC, EX, integer, lit

from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.algebra.advertisements.value_sets import Interval
from triplewire.errors import InputError, InvalidTerm, SyntaxProblem, UnknownFormat
from triplewire.rdf.terms import BlankNode, Literal, NamedNode

EXAMPLE_5 = Advertisement.values(
    {
        DC["creator"]: {"W. Nejdl", "P. Chirita"},
        DC["title"]: {"Algorithms", "Data Structures"},
        DC["year"]: Interval(2002, None),
    },
    owner="SP1",
)

PREFIXES = "@prefix tw: <urn:triplewire:> . @prefix dc: <http://purl.org/dc/elements/1.1/> .\n"


def test_definition_5_takes_iris_as_text_or_terms() -> None:
    assert Advertisement.schemas([str(DC)]) == Advertisement.schemas([NamedNode(str(DC))])
    assert Advertisement.schemas(str(DC)) == Advertisement.schemas([str(DC)])


def test_definition_6_is_a_set() -> None:
    a, b = DC["subject"], DC["title"]
    assert Advertisement.properties([a, b, a]) == Advertisement.properties((b.value, a.value))


def test_definition_7_takes_plain_values_terms_and_intervals() -> None:
    given = {"str", 1, Decimal("2.50"), datetime.date(2004, 6, 1), EX["a"], Literal("x", language="en")}
    [offer] = Advertisement.values({DC["date"]: {*given, Interval(1, 2)}}).offers
    assert set(offer.values) == {
        Literal("str"),
        integer(1),
        lit("2.50", "decimal"),
        lit("2004-06-01", "date"),
        EX["a"],
        Literal("x", language="en"),
        Interval(integer(1), integer(2)),
    }


def test_a_string_is_one_value() -> None:
    assert Advertisement.values({DC["title"]: "Logic"}) == Advertisement.values({DC["title"]: ["Logic"]})


def test_moments_become_typed_literals() -> None:
    noon = datetime.datetime(2004, 6, 1, 12, tzinfo=datetime.UTC)
    [offer] = Advertisement.values({DC["date"]: [noon]}).offers
    assert offer.values == (lit("2004-06-01T12:00:00+00:00", "dateTime"),)


@pytest.mark.parametrize(
    "advertisement",
    [
        EXAMPLE_5,
        Advertisement.schemas([str(DC), str(EX)], owner="urn:peer:1", id="urn:ad:1"),
        Advertisement.properties([DC["subject"]]),
        Advertisement.values(
            {
                DC["a"]: [Interval(1, 2, True, False), EX["a"]],
                DC["b"]: [Interval(None, lit("2004-06-01", "date"), False, True)],
            }
        ),
    ],
)
def test_rdf_round_trip(advertisement: Advertisement) -> None:
    assert Advertisement.parse(advertisement.to_turtle()) == advertisement


_small = st.integers(-1000, 1000)
_intervals = st.builds(
    lambda low, more, a, b: Interval(low, low + more, a, b), _small, st.integers(1, 9), st.booleans(), st.booleans()
)


@given(
    st.dictionaries(
        st.sampled_from([DC["a"], DC["b"], DC["c"]]),
        st.sets(
            st.one_of(
                st.text(alphabet=st.characters(exclude_categories=["Cs"])),
                st.integers(-5, 5),
                _intervals,
            ),
            min_size=1,
        ),
        min_size=1,
    )
)
def test_any_value_advertisement_round_trips(offers: dict[NamedNode, set[object]]) -> None:
    advertisement = Advertisement.values(offers)
    assert Advertisement.parse(advertisement.to_turtle()) == advertisement


def test_the_example_of_the_appendix_reads_as_example_5() -> None:
    text = """
    [] a tw:ValueAdvertisement ; tw:owner "SP1" ;
        tw:offers [ tw:property dc:creator ; tw:value "W. Nejdl", "P. Chirita" ] ,
                  [ tw:property dc:title ; tw:value "Algorithms", "Data Structures" ] ,
                  [ tw:property dc:year ; tw:value [ tw:atLeast 2002 ] ] .
    """
    assert Advertisement.parse(PREFIXES + text) == EXAMPLE_5


def test_a_file_tells_its_format(tmp_path: Path) -> None:
    path = tmp_path / "ad.nt"
    path.write_text("".join(f"{triple} .\n" for triple in EXAMPLE_5.to_triples()))
    assert Advertisement.parse(path) == EXAMPLE_5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "exactly one advertisement .* found 0"),
        ("[] a tw:SchemaAdvertisement . [] a tw:PropertyAdvertisement .", "exactly one advertisement .* found 2"),
        ("[] a tw:SchemaAdvertisement .", "tw:schema wants one IRI or more, found none"),
        ('[] a tw:PropertyAdvertisement ; tw:property "x" .', 'tw:property wants one IRI or more, found "x"'),
        ("[] a tw:ValueAdvertisement .", "at least one tw:offers, found none"),
        ("[] a tw:ValueAdvertisement ; tw:offers [ tw:property dc:a ] .", "tw:value wants at least one value"),
        ("[] a tw:ValueAdvertisement ; tw:offers [ tw:value 1 ] .", "tw:property wants one IRI or more, found none"),
        ("[] a tw:ValueAdvertisement ; tw:offers [ tw:property dc:a, dc:b ; tw:value 1 ] .", "wants one IRI, found"),
        ("[] a tw:ValueAdvertisement ; tw:offers [ tw:property dc:a ; tw:value [] ] .", "wants an IRI, a literal or"),
        (
            "[] a tw:ValueAdvertisement ; tw:offers [ tw:property dc:a ; tw:value [ a tw:Interval ] ] .",
            "at least one end",
        ),
        (
            "[] a tw:ValueAdvertisement ; tw:offers [ tw:property dc:a ; tw:value [ tw:atLeast 1 ; tw:above 2 ] ] .",
            "both an open and a closed one",
        ),
        (
            "[] a tw:ValueAdvertisement ; tw:offers [ tw:property dc:a ; tw:value [ tw:atLeast 1, 2 ] ] .",
            "tw:atLeast wants one literal",
        ),
        ('[] a tw:SchemaAdvertisement ; tw:schema dc: ; tw:owner "a", "b" .', "tw:owner wants one name"),
    ],
)
def test_wrong_rdf_says_what_was_wanted_and_found(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Advertisement.parse(PREFIXES + text)


def test_malformed_rdf_names_file_line_and_column_a1(tmp_path: Path) -> None:
    path = tmp_path / "ad.ttl"
    path.write_text("\n[] a")
    with pytest.raises(SyntaxProblem, match=r"ad\.ttl:2:"):
        Advertisement.parse(path)


def test_an_unknown_format_and_a_missing_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match=r"wanted a known RDF format, .*found 'toml'"):
        Advertisement.parse(b"", format="toml")
    with pytest.raises(InputError, match="cannot read"):
        Advertisement.parse(tmp_path / "missing.ttl")


@pytest.mark.parametrize("wrong", ["dc", 5, None])
def test_a_schema_wants_an_iri(wrong: object) -> None:
    with pytest.raises(InvalidTerm, match="a schema wants an"):
        Advertisement.schemas([wrong])  # type: ignore[list-item]


def test_nothing_at_all_is_no_advertisement() -> None:
    for make in (
        lambda: Advertisement.schemas([]),
        lambda: Advertisement.properties([]),
        lambda: Advertisement.values({}),
    ):
        with pytest.raises(InputError, match="found none"):
            make()
    with pytest.raises(InputError, match="at least one value, found none"):
        Advertisement.values({DC["a"]: []})


def test_definition_7_wants_distinct_properties() -> None:
    with pytest.raises(InputError, match="each property once"):
        Advertisement.values({DC["a"]: 1, DC["a"].value: 2})  # type: ignore[dict-item]


@pytest.mark.parametrize("wrong", [BlankNode("b"), b"bytes", object(), Decimal("NaN")])
def test_a_value_set_wants_values(wrong: object) -> None:
    with pytest.raises(InvalidTerm):
        Advertisement.values({DC["a"]: [wrong]})


class TestInterval:
    def test_holds_values_whatever_their_form(self) -> None:
        years = Interval(2002, None)
        assert all(term in years for term in (integer(2002), integer("02004"), lit("2004.5", "decimal")))
        assert not any(term in years for term in (integer(2001), Literal("2004"), EX["a"], lit("x", "integer")))

    def test_ends_may_be_open(self) -> None:
        inner = Interval(1, 3, low_open=True, high_open=True)
        assert [n for n in range(5) if integer(n) in inner] == [2]

    def test_ends_may_be_dates(self) -> None:
        spring = Interval(datetime.date(2004, 3, 1), datetime.date(2004, 6, 1))
        assert lit("2004-05-12", "date") in spring
        assert lit("2004-07-12", "date") not in spring

    def test_infinite_ends_are_open_for_ever(self) -> None:
        assert Interval(2002, math.inf) == Interval(2002, None)
        assert Interval(-math.inf, 5) == Interval(None, 5)

    @pytest.mark.parametrize(
        ("low", "high", "message"),
        [
            (None, None, "at least one end"),
            (3, 1, "low end below its high end, found \\[3, 1\\]"),
            (1, "a", "low end below"),
            (math.nan, None, "ends that have an order"),
            (EX["a"], None, "literals as its ends"),
        ],
    )
    def test_wrong_ends_are_told(self, low: object, high: object, message: str) -> None:
        with pytest.raises(InputError, match=message):
            Interval(low, high)  # type: ignore[arg-type]
