"""Cores matched by trying every triple for every pattern: slow, and plainly right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from triplewire.algebra.evaluation import satisfied
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Core
from triplewire.rdf.terms import NamedNode, Term, Triple

Solution = dict[Variable, Term]


def solutions(core: Core, triples: Sequence[Triple], event: NamedNode) -> list[Solution]:
    """All that a core matches in an event."""
    found: list[Solution] = [{}]
    for graph in core.graphs:
        found = [bound for solution in found if (bound := _bound(solution, graph, event)) is not None]
    for pattern in core.patterns:
        found = [longer for solution in found for longer in _extended(solution, pattern, triples)]
    return [solution for solution in found if satisfied(core.constraint, solution)]


def _extended(solution: Solution, pattern: Pattern, triples: Sequence[Triple]) -> Iterator[Solution]:
    for triple in triples:
        longer: Solution | None = solution
        for wanted, term in zip(pattern, (triple.subject, triple.predicate, triple.object), strict=True):
            longer = None if longer is None else _bound(longer, wanted, term)
        if longer is not None:
            yield longer


def _bound(solution: Solution, wanted: object, term: Term) -> Solution | None:
    if not isinstance(wanted, Variable):
        return solution if wanted == term else None
    if wanted in solution:
        return solution if solution[wanted] == term else None
    return {**solution, wanted: term}
