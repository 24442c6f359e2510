"""Strategies for SPARQL expressions that are true or false, as text."""

from __future__ import annotations

from functools import lru_cache

from hypothesis import strategies as st

from triplewire.rdf.terms import Literal, Term
from triplewire.testing.strategies.terms import iris, literals
from triplewire.testing.strategies.vocabulary import CLASSES, PROPERTIES, SUBSTRINGS

_COMPARATORS = ("=", "!=", "<", "<=", ">", ">=")
_TAXONOMY_FUNCTIONS = ("isA", "ancestorOf", "directInstanceOf")
_TEXT_FUNCTIONS = ("CONTAINS", "STRSTARTS", "STRENDS")


# Building a strategy costs more than drawing from it: those that come again are kept.
@lru_cache(maxsize=256)
def fast_filters(variables: tuple[str, ...], depth: int = 2) -> st.SearchStrategy[str]:
    """What the fast lane compiles: comparisons, IN, text tests, the taxonomy's functions, and && || ! over them."""
    return _combined(_tests(variables), depth)


@lru_cache(maxsize=256)
def general_filters(variables: tuple[str, ...], depth: int = 1) -> st.SearchStrategy[str]:
    """Those, and what only the general lane knows: arithmetic, type tests, BOUND, functions of terms."""
    return _combined(st.one_of(_tests(variables), _general_tests(variables)), depth)


def _combined(tests: st.SearchStrategy[str], depth: int) -> st.SearchStrategy[str]:
    if depth == 0:
        return tests
    inner = _combined(tests, depth - 1)
    return st.one_of(
        tests,
        tests,
        st.builds("({} && {})".format, inner, inner),
        st.builds("({} || {})".format, inner, inner),
        st.builds("!({})".format, inner),
    )


def _tests(variables: tuple[str, ...]) -> st.SearchStrategy[str]:
    variable = st.sampled_from(variables)
    constant = _constants().map(str)
    operator = st.sampled_from(_COMPARATORS)
    return st.one_of(
        st.builds("{} {} {}".format, variable, operator, constant),
        st.builds("{} {} {}".format, constant, operator, variable),
        st.builds("{} {} {}".format, variable, operator, variable),
        st.builds(_membership, variable, st.sampled_from(("IN", "NOT IN")), st.lists(constant, min_size=1, max_size=3)),
        st.builds("{}({}, {})".format, st.sampled_from(_TEXT_FUNCTIONS), variable, _substrings()),
        st.builds("tw:{}({}, {})".format, st.sampled_from(_TAXONOMY_FUNCTIONS), variable, _classes()),
    )


def _general_tests(variables: tuple[str, ...]) -> st.SearchStrategy[str]:
    variable = st.sampled_from(variables)
    return st.one_of(
        st.builds("{}({})".format, st.sampled_from(("isIRI", "isLITERAL", "isBLANK", "BOUND")), variable),
        st.builds("{} + {} {} 3".format, variable, variable, st.sampled_from(_COMPARATORS)),
        st.builds('LANG({}) = "{}"'.format, variable, st.sampled_from(("", "en", "de"))),
        st.builds("sameTerm({}, {})".format, variable, variable),
        st.builds("STRLEN(STR({})) {} 4".format, variable, st.sampled_from(_COMPARATORS)),
    )


def _constants() -> st.SearchStrategy[Term]:
    return st.one_of(literals(), iris())


def _membership(variable: str, operator: str, constants: list[str]) -> str:
    return f"{variable} {operator} ({', '.join(constants)})"


def _substrings() -> st.SearchStrategy[str]:
    text = st.sampled_from(SUBSTRINGS)
    return st.one_of(text.map(Literal), text.map(lambda t: Literal(t, language="en"))).map(str)


def _classes() -> st.SearchStrategy[str]:
    return st.sampled_from((*CLASSES, *PROPERTIES)).map(str)
