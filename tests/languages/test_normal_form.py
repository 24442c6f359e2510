"""The bounded normal form equals the algebra's, where it is not refused."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.algebra.constraints import ALWAYS, NEVER, Condition, Constraint, IntegerTest, both, either
from triplewire.algebra.patterns import Variable
from triplewire.errors import LimitExceeded
from triplewire.languages.formula.parser import MAX_ALTERNATIVES, conjunction, disjunction

_conditions = st.builds(Condition, st.builds(IntegerTest, st.sampled_from("ABC").map(Variable)), st.booleans())
_alternatives = st.lists(_conditions, max_size=3, unique=True).map(tuple)
_constraints = st.lists(_alternatives, max_size=3, unique=True).map(tuple).map(Constraint)


def one_of(count: int) -> Constraint:
    return Constraint(tuple((Condition(IntegerTest(Variable(f"v{number}"))),) for number in range(count)))


@given(st.lists(_constraints, max_size=4))
def test_conjunction(parts: list[Constraint]) -> None:
    assert conjunction(parts) == reduce(both, parts, ALWAYS)


@given(st.lists(_constraints, max_size=4))
def test_disjunction(parts: list[Constraint]) -> None:
    assert disjunction(parts) == reduce(either, parts, NEVER)


def test_the_parts_stay_as_they_are() -> None:
    part = one_of(1)
    conjunction([part, one_of(2), part])
    assert part == one_of(1)


def test_growth_is_bounded() -> None:
    assert len(conjunction([one_of(10), one_of(100)]).alternatives) == MAX_ALTERNATIVES
    with pytest.raises(LimitExceeded):
        conjunction([one_of(11), one_of(100)])
    with pytest.raises(LimitExceeded):
        disjunction([one_of(1), one_of(MAX_ALTERNATIVES)])
