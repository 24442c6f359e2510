"""Strategies for subscriptions in the formula language, as text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from hypothesis import strategies as st

from triplewire.rdf.literals.values import is_integer
from triplewire.rdf.terms import XSD, Literal, NamedNode, Term, Triple
from triplewire.testing.strategies.terms import iris, literals, predicates
from triplewire.testing.strategies.vocabulary import SUBSTRINGS

_AND = st.sampled_from((" ^ ", " ∧ ", " and "))
_OR = st.sampled_from((" v ", " ∨ ", " or "))
_SIGNS = st.sampled_from(("=", "<", "<=", ">", ">=", "≤"))
_CONTAINS = st.sampled_from(("contains", "⊒", "sqsupseteq"))
_SMALL = st.integers(-5, 11).map(str)
_YEAR = st.sampled_from(("2003", "2004", "2005"))


@st.composite
def formulas(draw: st.DrawFn, like: Sequence[Triple] = ()) -> str:
    """One resource, its properties, a constraint; mostly properties that the triples `like` have."""
    properties = draw(st.lists(_properties(tuple(like)), min_size=1, max_size=3))
    triples = [f"t(S, {predicate}, {obj or f'O{place}'})" for place, (predicate, obj) in enumerate(properties)]
    variables = ("S", *(f"O{place}" for place, (_, obj) in enumerate(properties) if obj is None))
    constraints = draw(st.one_of(st.just([]), st.lists(_constraints(variables), min_size=1, max_size=2)))
    head = draw(st.lists(st.sampled_from(variables), min_size=1, unique=True))
    return f"{', '.join(head)}: {draw(_AND).join([*triples, *constraints])}"


@lru_cache(maxsize=64)
def _properties(like: tuple[Triple, ...]) -> st.SearchStrategy[tuple[str, str | None]]:
    """A predicate, and an object if it is to be a constant."""
    anything = st.tuples(predicates().map(str), st.one_of(st.none(), st.none(), _objects()))
    if not like:
        return anything
    known = st.sampled_from([(str(t.predicate), _constant(t.object)) for t in like])
    open_ended = known.map(lambda pair: (pair[0], None))
    return st.one_of(open_ended, open_ended, known, anything)


def _constant(term: Term) -> str | None:
    return str(term) if isinstance(term, NamedNode | Literal) else None


def _objects() -> st.SearchStrategy[str]:
    return st.one_of(iris(), literals()).map(str)


@lru_cache(maxsize=64)
def _constraints(variables: tuple[str, ...]) -> st.SearchStrategy[str]:
    atom = _atoms(variables)
    conjunction = st.builds(lambda parts, sign: sign.join(parts), st.lists(atom, min_size=1, max_size=2), _AND)
    return st.builds(lambda parts, sign: f"({sign.join(parts)})", st.lists(conjunction, min_size=1, max_size=2), _OR)


def _atoms(variables: tuple[str, ...]) -> st.SearchStrategy[str]:
    variable = st.sampled_from(variables)
    return st.one_of(
        st.builds("{} {} {}".format, variable, _SIGNS, st.one_of(_SMALL, _YEAR)),
        st.builds("{} {} {}".format, variable, _CONTAINS, st.sampled_from(SUBSTRINGS).map(Literal)),
        st.builds("{} = {}".format, variable, iris()),
        st.builds("{} {} {}".format, variable, st.sampled_from(("=", "!=")), _comparable()),
    )


def _comparable() -> st.SearchStrategy[Literal]:
    """The language refuses to compare with something that says it is an integer and is not."""
    return literals().filter(lambda literal: literal.datatype != XSD["integer"] or is_integer(literal))
