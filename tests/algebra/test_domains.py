"""The candidates that stand for all terms: every term has one that no test of these constants tells from it."""

from __future__ import annotations

import itertools
import math
import random
import struct
from collections.abc import Iterable, Sequence

import pytest
from tests.algebra.building import D, Y, cmp, integer, lit

from triplewire.algebra.constraints import Comparator, ComparisonTest, TextRelation, TextTest
from triplewire.algebra.reasoning.date_candidates import moments
from triplewire.algebra.reasoning.demands import FALSE, NOT_FALSE, NOT_TRUE, TRUE, Demand
from triplewire.algebra.reasoning.domains import Domain
from triplewire.algebra.reasoning.effort import Effort
from triplewire.algebra.reasoning.number_candidates import complete, numerals
from triplewire.algebra.reasoning.text_candidates import Family, by_order
from triplewire.algebra.taxonomy import EMPTY
from triplewire.algebra.verdicts import Answer
from triplewire.rdf.literals.values import Kind, compare, is_integer, kind_of
from triplewire.rdf.terms import Literal


def signature(term: Literal, constants: Sequence[Literal]) -> tuple[object, ...]:
    """What every comparison with the constants comes out as."""
    return (is_integer(term), *(compare(sign.value, term, constant) for constant in constants for sign in Comparator))


def assert_stand_for(candidates: Iterable[Literal], terms: Iterable[Literal], constants: Sequence[Literal]) -> None:
    known = {signature(candidate, constants) for candidate in candidates}
    missing = [term for term in terms if signature(term, constants) not in known]
    assert not missing, f"nothing stands for {missing[0]} among {constants}"


def numbers_near(chance: random.Random, value: float) -> Iterable[Literal]:
    for _ in range(10):
        shift = chance.choice([0, 1e-18, 1e-16, 1e-9, 0.5, 1, 2, 1000]) * chance.choice([-1, 1])
        near = value + shift
        yield lit(f"{near:.18f}", "decimal")
        yield lit(math.floor(near), "integer")
        yield lit(repr(near), "double")
        yield lit(repr(struct.unpack("f", struct.pack("f", near))[0]), "float")
        yield lit(chance.choice(["NaN", "INF", "-INF", "-NaN"]), chance.choice(["float", "double"]))
    yield lit(repr(math.nextafter(value, math.inf)), "double")
    yield lit(repr(math.nextafter(value, -math.inf)), "double")


VALUES = [0.0, 1.0, 1.5, 0.1, -3.0, 2004.0, 16777216.0, 9007199254740992.0, 1e18, 5e-324, -1e-7]


@pytest.mark.parametrize("seed", range(150))
def test_numerals_stand_for_all_numbers(seed: int) -> None:
    chance = random.Random(seed)
    chosen = [chance.choice(VALUES) for _ in range(chance.randint(1, 3))]
    constants = [_written(chance, value) for value in chosen]
    if complete(constants):
        terms = [term for value in chosen for term in numbers_near(chance, value)]
        assert_stand_for(numerals(constants), [term for term in terms if kind_of(term) is Kind.NUMERIC], constants)


def _written(chance: random.Random, value: float) -> Literal:
    datatype = chance.choice(["integer", "decimal", "double", "float"])
    if datatype == "integer":
        return integer(math.floor(value))
    return lit(f"{value:.18f}" if datatype == "decimal" else repr(value), datatype)


def test_numerals_do_not_claim_to_know_the_last_places() -> None:
    assert complete([integer(5), lit("5.0", "double"), lit("5.1", "decimal")])
    assert not complete([lit("0.1", "decimal"), lit("0.1", "double")])
    assert not complete([integer(5), lit("5.000000000000001", "double")])
    assert not complete([integer(5)], named=[lit("NaN", "double")])


def test_padded_numerals_write_each_value_as_no_constant_does() -> None:
    constants = [integer("5"), integer("05"), lit("005.0", "decimal")]
    found = [literal for literal in numerals(constants, padding=10) if compare("=", literal, integer(5))]
    assert any(is_integer(literal) and literal not in constants for literal in found)


DATE_TIMES = [f"2004-0{m}-0{d}T{h}:00:00{f}{zone}" for m in (1, 2) for d in (1, 2) for h in ("00", "10", "14", "23")
              for f in ("", ".5") for zone in ("", "Z", "+14:00", "-05:30")]  # fmt: skip
DATES = [f"{date}{zone}" for date in ("2003-12-31", "2004-01-01", "2004-01-02", "2004-02-29", "2004-03-01")
         for zone in ("", "Z", "+14:00", "-14:00", "-05:30", "+00:01")]  # fmt: skip
YEARS = [
    f"{year}{zone}"
    for year in ("-0001", "0000", "0001", "2003", "2004", "2005", "12004")
    for zone in ("", "Z", "+14:00", "-13:59")
]
TEXTS = {Kind.DATE_TIME: ("dateTime", DATE_TIMES), Kind.DATE: ("date", DATES), Kind.G_YEAR: ("gYear", YEARS)}


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("seed", range(25))
def test_moments_stand_for_all_of_their_kind(kind: Kind, seed: int) -> None:
    chance = random.Random(seed)
    datatype, texts = TEXTS[kind]
    terms = [lit(text, datatype) for text in texts]
    assert {kind_of(term) for term in terms} == {kind}
    constants = chance.sample(terms, 3)
    assert_stand_for(moments(kind, constants), terms, constants)


@pytest.mark.parametrize("seed", range(25))
def test_strings_by_order_stand_for_all_strings(seed: int) -> None:
    chance = random.Random(seed)
    terms = ["".join(chance.choice("ab\0z") for _ in range(chance.randint(0, 3))) for _ in range(60)]
    constants = [Literal(text) for text in chance.sample(terms, 3)]
    assert_stand_for(by_order(Family(Literal("")), constants), map(Literal, terms), constants)


ALL_STRINGS = [Literal("".join(text)) for length in range(6) for text in itertools.product("ab", repeat=length)]


def random_demand(chance: random.Random, relations: Sequence[TextRelation | Comparator]) -> Demand:
    relation, text = chance.choice(relations), Literal("".join(chance.choices("ab", k=chance.randint(0, 2))))
    outcomes = chance.choice([TRUE, FALSE, NOT_TRUE, NOT_FALSE])
    if isinstance(relation, Comparator):
        return Demand(ComparisonTest(relation, Y, text), outcomes)
    return Demand(TextTest(relation, Y, text), outcomes)


@pytest.mark.parametrize("seed", range(200))
def test_demands_on_strings_are_decided(seed: int) -> None:
    chance = random.Random(seed)
    relations = chance.choice(
        [[*TextRelation], [*TextRelation, Comparator.EQUAL], [*Comparator], [*TextRelation, *Comparator]]
    )
    # The first demand keeps out everything that is no string.
    demands = [Demand(TextTest(TextRelation.CONTAINS, Y, Literal("")), TRUE)]
    demands += [random_demand(chance, relations) for _ in range(chance.randint(1, 5))]
    answer = Domain().answer(demands, EMPTY, Effort(100_000))
    found = any(all(demand.allows({Y: text}) for demand in demands) for text in ALL_STRINGS)
    assert not (found and answer is Answer.NO)
    if not any(isinstance(demand.test, ComparisonTest) for demand in demands):
        assert answer is not Answer.UNKNOWN


def test_spent_effort_is_not_a_proof() -> None:
    impossible = [Demand(ComparisonTest(Comparator.EQUAL, Y, integer(n)), TRUE) for n in (1, 2)]
    assert Domain().answer(impossible, EMPTY, Effort(10_000)) is Answer.NO
    assert Domain().answer(impossible, EMPTY, Effort(3)) is Answer.UNKNOWN


def test_a_demand_reads_the_same_from_both_sides() -> None:
    [[condition]] = cmp(5, "<", D).alternatives
    assert Demand(condition.test, TRUE).allows({D: integer(6), Y: integer(1)})
