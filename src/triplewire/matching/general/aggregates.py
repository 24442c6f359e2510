"""Aggregates over opaque terms: they compute with values, tell terms apart, and give terms back.

Oxigraph does the computing, on a store that holds one triple for each term. MIN and MAX give a term of the group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyoxigraph import QuerySolutions, Store

from triplewire.matching.general import rewriting
from triplewire.matching.general.opaque_terms import decoded, internal, normal
from triplewire.rdf.terms import Literal, NamedNode, Quad, Term, Triple

_HAS = internal("has")


class Accumulator:
    """Collects the terms of one group; `finish` gives the result, or None for an error."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.terms: dict[Term, None] = {}

    def accumulate(self, term: Term) -> None:
        # Every aggregate here is of distinct terms: MIN and MAX are the same with repeats and without.
        self.terms[term] = None

    def finish(self) -> Term | None:
        return _computed(self.name, [decoded(term) for term in self.terms])


class Extreme(Accumulator):
    """MIN or MAX: the result is one of the terms."""

    def finish(self) -> Term | None:
        found = super().finish()
        return next((term for term in self.terms if _as_stored(decoded(term)) == found), None)


def _computed(name: str, terms: list[Term]) -> Term | None:
    store = Store()
    store.extend(Quad(internal(f"row{n}"), _HAS, term) for n, term in enumerate(terms))
    rows = store.query(f"SELECT ({name}(?term) AS ?result) {{ ?row {_HAS} ?term }}")
    assert isinstance(rows, QuerySolutions)
    result: Term | None = next(iter(rows))["result"]
    return result


def _as_stored(term: Term) -> Term:
    return normal(term) if isinstance(term, Literal | Triple) else term


def _maker(kind: type[Accumulator], name: str) -> Callable[[], Accumulator]:
    return lambda: kind(name)


OPAQUE_AGGREGATES: Mapping[NamedNode, Callable[[], Accumulator]] = {
    function: _maker(Extreme if name in ("MIN", "MAX") else Accumulator, name)
    for (name, _), function in rewriting.AGGREGATES.items()
}
