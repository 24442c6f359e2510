"""Disjunctive normal form: what is distributed, and where it ends."""

from __future__ import annotations

from functools import reduce
from itertools import chain, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.algebra.constraints import ALWAYS, NEVER, Condition, Constraint, IntegerTest, both, conjunction, either
from triplewire.algebra.patterns import Variable
from triplewire.errors import LimitExceeded
from triplewire.languages.formula.parser import MAX_ALTERNATIVES, MAX_CONDITIONS, _check_size, disjunction

_conditions = st.builds(Condition, st.builds(IntegerTest, st.sampled_from("ABC").map(Variable)), st.booleans())
_alternatives = st.lists(_conditions, max_size=3, unique=True).map(tuple)
_constraints = st.lists(_alternatives, max_size=3, unique=True).map(tuple).map(Constraint)


def one_of(count: int) -> Constraint:
    return Constraint(tuple((Condition(IntegerTest(Variable(f"v{number}"))),) for number in range(count)))


def naive(parts: list[Constraint]) -> Constraint:
    """One alternative of each part, in every combination; nothing twice."""
    combined = product(*(part.alternatives for part in parts))
    return Constraint(tuple(dict.fromkeys(tuple(dict.fromkeys(chain(*chosen))) for chosen in combined)))


@given(st.lists(_constraints, max_size=4))
def test_conjunction(parts: list[Constraint]) -> None:
    assert conjunction(parts) == naive(parts)


@given(st.lists(_constraints, max_size=4))
def test_growth_is_told_before_it_happens(parts: list[Constraint]) -> None:
    told: list[tuple[int, int]] = []
    conjunction(parts, lambda *sizes: told.append(sizes))
    grown = [list(product(*(part.alternatives for part in parts[:count]))) for count in range(1, len(parts) + 1)]
    assert told == [(len(all_), sum(len(part) for chosen in all_ for part in chosen)) for all_ in grown]


@given(_constraints, _constraints, st.integers(0, 9))
def test_two_are_conjoined_up_to_a_bound(a: Constraint, b: Constraint, most: int) -> None:
    found = both(a, b, most)
    if ALWAYS in (a, b):
        assert found == (b if a == ALWAYS else a)
    elif len(a.alternatives) * len(b.alternatives) > most:
        assert found is None
    else:
        assert found == naive([a, b])


@given(st.lists(_constraints, max_size=4))
def test_disjunction(parts: list[Constraint]) -> None:
    assert disjunction(parts) == reduce(either, parts, NEVER)


def test_the_parts_stay_as_they_are() -> None:
    part = one_of(1)
    conjunction([part, one_of(2), part])
    assert part == one_of(1)


def test_growth_is_bounded() -> None:
    assert len(conjunction([one_of(10), one_of(100)], _check_size).alternatives) == MAX_ALTERNATIVES
    with pytest.raises(LimitExceeded, match="alternatives"):
        conjunction([one_of(11), one_of(100)], _check_size)
    with pytest.raises(LimitExceeded, match="conditions"):
        conjunction([one_of(1)] * (MAX_CONDITIONS + 1), _check_size)
    with pytest.raises(LimitExceeded):
        disjunction([one_of(1), one_of(MAX_ALTERNATIVES)])
