"""Sample events: made from a query that is likely to match them; the caller verifies it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import Core, Query, cores_of
from triplewire.algebra.reasoning.satisfiability import satisfiability
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import TriplewireError
from triplewire.rdf.events import Event
from triplewire.rdf.terms import TW, NamedNode, Term, Triple

_MOST = 4


def sample_events(query: Query, taxonomy: Taxonomy) -> Iterator[Event]:
    """A few events that may match, one for each way to match the query."""
    for core in cores_of(query)[:_MOST]:
        witness = satisfiability(core, taxonomy).witness
        if witness is not None and core.patterns:
            yield from _events(core, witness)


def _events(core: Core, witness: Mapping[Variable, Term]) -> Iterator[Event]:
    name = next((_term(graph, witness) for graph in core.graphs), TW["sample"])
    try:
        triples = [_triple(pattern, witness) for pattern in core.patterns]
        yield Event.from_triples(name if isinstance(name, NamedNode) else None, triples)
    except (TriplewireError, TypeError, ValueError):
        # A term where it cannot stand: then there is no sample.
        return


def _triple(pattern: Pattern, witness: Mapping[Variable, Term]) -> Triple:
    subject, predicate, obj = (_term(term, witness) for term in pattern)
    return Triple(subject, predicate, obj)  # type: ignore[arg-type]  # the constructor checks


def _term(term: PatternTerm, witness: Mapping[Variable, Term]) -> Term:
    return witness[term] if isinstance(term, Variable) else term
