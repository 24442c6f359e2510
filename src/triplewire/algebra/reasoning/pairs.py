"""What two variables that are compared with each other can be.

Whatever two terms are, the six comparisons between them come out in one of a few ways: equal, before, after, different
without an order, an error. A sample of terms of every kind shows all these ways, and demands on a pair that none of
them meets cannot be met.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from triplewire.algebra.constraints import Comparator, ComparisonTest
from triplewire.algebra.evaluation import Outcome
from triplewire.algebra.reasoning.demands import Demand
from triplewire.algebra.reasoning.domains import Domain
from triplewire.algebra.reasoning.situations import Role
from triplewire.rdf.literals import values
from triplewire.rdf.terms import TW, XSD, BlankNode, Literal, NamedNode, Term, Triple

Outcomes = tuple[tuple[Comparator, Outcome], ...]


def _literals(datatype: str, *texts: str) -> list[Literal]:
    return [Literal(text, datatype=XSD[datatype]) for text in texts]


_IRIS = [TW["a"], TW["b"]]
_SAMPLE: list[Term] = [
    *_IRIS,
    BlankNode("a"),
    BlankNode("b"),
    *(Triple(_IRIS[0], _IRIS[0], value) for value in _literals("integer", "1", "2", "x")),
    *_literals("string", "a", "b"),
    *(Literal(text, language=language) for text in "ab" for language in ("en", "de")),
    *_literals("integer", "1", "2", "x", "y"),
    *_literals("double", "1", "NaN"),
    *_literals("boolean", "true", "false"),
    *_literals("dateTime", "2000-01-01T00:00:00", "2000-01-01T00:00:00Z", "2001-01-01T00:00:00Z"),
    *_literals("duration", "P1M", "P30D", "P2M"),
    *(Literal(text, datatype=TW["datatype"]) for text in "ab"),
]


def possible_pair(same: bool, domains: Iterable[Domain], demands: Iterable[Demand]) -> bool:
    """Whether two terms in these roles can compare as demanded; `same` if they are one variable."""
    first, second = (domain.role for domain in domains)
    wanted = [(demand.test.operator, demand.outcomes) for demand in demands if isinstance(demand.test, ComparisonTest)]
    return any(all(dict(way)[sign] in outcomes for sign, outcomes in wanted) for way in _ways(same, first, second))


@lru_cache(maxsize=32)
def _ways(same: bool, first: Role, second: Role) -> frozenset[Outcomes]:
    lefts, rights = _in_role(first), _in_role(second)
    pairs = [(a, a) for a in lefts if a in rights] if same else [(a, b) for a in lefts for b in rights]
    return frozenset(_compared(a, b) for a, b in pairs)


def _compared(a: Term, b: Term) -> Outcomes:
    return tuple((sign, values.compare(sign.value, a, b)) for sign in Comparator)


def _in_role(role: Role) -> list[Term]:
    if role is Role.IRI:
        return [term for term in _SAMPLE if isinstance(term, NamedNode)]
    if role is Role.RESOURCE:
        return [term for term in _SAMPLE if isinstance(term, NamedNode | BlankNode)]
    return _SAMPLE
