"""The dataset of an event in an Oxigraph store: its triples as the default graph, and under the event's IRI.

An `Evaluator` says where that store is: here, or in another process (`isolated_evaluator`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Protocol

from pyoxigraph import QueryBoolean, QuerySolution, QuerySolutions, Store, Variable

from triplewire.errors import InputError
from triplewire.matching.evaluation.budget import Budget
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.general.functions import (
    OPAQUE_AGGREGATES,
    OWN_FUNCTIONS,
    TAXONOMY_STUBS,
    Function,
    taxonomy_functions,
)
from triplewire.matching.general.opaque_terms import decoded, encoded, is_rewritten
from triplewire.matching.matches import Solution
from triplewire.rdf.terms import NamedNode, Quad, Term, Triple


class Dataset:
    """One event, ready for SPARQL. Each of its two stores is filled when it is first asked."""

    def __init__(self, view: EventView) -> None:
        self.view = view

    @cached_property
    def has_rewritten_terms(self) -> bool:
        """Whether the event holds terms that the store would change."""
        return any(is_rewritten(row[2]) for row in self.view.rows)

    def solutions(self, text: str, budget: Budget) -> list[Solution]:
        """The solutions of a SELECT or ASK, read as it is."""
        return self._solutions(self._plain, text, budget, lambda term: term)

    def opaque_solutions(self, text: str, budget: Budget) -> list[Solution]:
        """The solutions of a SELECT or ASK that was rewritten for opaque terms."""
        return self._solutions(self._opaque, text, budget, decoded)

    @cached_property
    def _plain(self) -> Store:
        return _filled(self.view.graph, self.view.event.triples)

    @cached_property
    def _opaque(self) -> Store:
        hidden = (Triple(t.subject, t.predicate, encoded(t.object)) for t in self.view.event.triples)
        return _filled(self.view.graph, tuple(hidden))

    @cached_property
    def _functions(self) -> dict[NamedNode, Function]:
        return {**taxonomy_functions(self.view), **OWN_FUNCTIONS}

    def _solutions(self, store: Store, text: str, budget: Budget, restored: Callable[[Term], Term]) -> list[Solution]:
        found = store.query(
            text,
            default_graph=[self.view.graph],
            named_graphs=[self.view.graph],
            custom_functions=self._functions,
            custom_aggregate_functions=dict(OPAQUE_AGGREGATES),
        )
        if isinstance(found, QueryBoolean):
            return [{}] if found else []
        assert isinstance(found, QuerySolutions)
        variables = found.variables
        rows = []
        for row in found:
            budget.spend()
            rows.append(_solution(row, variables, restored))
        return rows


def check_accepted(text: str) -> None:
    """Raise InputError if Oxigraph does not take the text, or a function in it."""
    try:
        Store().query(
            text,
            custom_functions={**TAXONOMY_STUBS, **OWN_FUNCTIONS},
            custom_aggregate_functions=dict(OPAQUE_AGGREGATES),
        )
    except (SyntaxError, RuntimeError) as error:
        raise InputError(wanted="a query that Oxigraph accepts", found=f"something else: {error}") from None


def _filled(graph: NamedNode, triples: tuple[Triple, ...]) -> Store:
    store = Store()
    store.extend(Quad(t.subject, t.predicate, t.object, graph) for t in triples)
    return store


def _solution(row: QuerySolution, variables: list[Variable], restored: Callable[[Term], Term]) -> Solution:
    bound = ((variable.value, row[variable]) for variable in variables)
    return {name: restored(term) for name, term in bound if term is not None}


class Evaluator(Protocol):
    """Handed to a matcher. Used by one thread at a time, unless it says otherwise."""

    def dataset(self, view: EventView) -> Dataset:
        """One event, ready to be asked."""
        ...

    def check(self, text: str) -> None:
        """Raise InputError if Oxigraph does not take a query."""
        ...


class InProcess:
    """Evaluates where it is called: what crashes Oxigraph ends the caller. The limits on queries prevent it."""

    def dataset(self, view: EventView) -> Dataset:
        return Dataset(view)

    def check(self, text: str) -> None:
        check_accepted(text)


IN_PROCESS = InProcess()
