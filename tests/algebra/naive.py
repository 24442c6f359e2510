"""The reasoner's judge: queries evaluated by plain loops over every triple."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triplewire.algebra.evaluation import satisfied
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Core, FastQuery, Select
from triplewire.algebra.taxonomy import EMPTY, Taxonomy
from triplewire.rdf.terms import RDF, NamedNode, Term, Triple

EVENT = NamedNode("urn:event:1")
Binding = dict[Variable, Term]


def answers(query: FastQuery, triples: Iterable[Triple], taxonomy: Taxonomy = EMPTY) -> set[tuple[Term | None, ...]]:
    """The answer set, as tuples of the projected variables; for an ASK, the empty tuple if it holds."""
    projected = query.form.variables if isinstance(query.form, Select) else ()
    return {tuple(b.get(v) for v in projected) for b in matches(query.core, list(triples), taxonomy)}


def matches(core: Core, triples: list[Triple], taxonomy: Taxonomy = EMPTY) -> Iterator[Binding]:
    if any(isinstance(graph, NamedNode) and graph != EVENT for graph in core.graphs):
        return
    bindings: list[Binding] = [{graph: EVENT for graph in core.graphs if isinstance(graph, Variable)}]
    for pattern in core.patterns:
        bindings = [more for binding in bindings for triple in triples for more in _extended(pattern, triple, binding)]

    def types(term: Term) -> list[Term]:
        return [triple.object for triple in triples if triple.subject == term and triple.predicate == RDF["type"]]

    yield from (binding for binding in bindings if satisfied(core.constraint, binding, taxonomy, types))


def _extended(pattern: Pattern, triple: Triple, binding: Binding) -> Iterator[Binding]:
    extended = dict(binding)
    for wanted, found in zip(pattern, (triple.subject, triple.predicate, triple.object), strict=True):
        if isinstance(wanted, Variable):
            wanted = extended.setdefault(wanted, found)
        if wanted != found:
            return
    yield extended
