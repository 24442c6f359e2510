"""To and from rdflib, term by term, so that nothing is normalised on the way.

rdflib is optional: this module is imported when one of its functions is needed. Three things it has no words for are
refused: triple terms, base directions and, the other way, variables and formulas.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from triplewire.errors import InvalidTerm
from triplewire.extras import needing
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Term, Triple

with needing("interop"):
    import rdflib
    import rdflib.query
    from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph

_UNTOUCHED = rdflib.URIRef("urn:triplewire:untouched")


def rdflib_graph(graph: NamedNode | None, triples: Iterable[Triple]) -> rdflib.Graph:
    """An rdflib Graph of the triples, identified by the IRI, if there is one."""
    made = rdflib.Graph(identifier=None if graph is None else rdflib.URIRef(graph.value))
    with _quiet_about_ill_typed_literals():
        for triple in triples:
            subject, predicate, object_ = map(to_rdflib_term, triple)
            made.add((subject, predicate, object_))
    return made


def rdflib_result(variables: Sequence[str], solutions: Iterable[Mapping[str, Term]]) -> rdflib.query.Result:
    """The solutions as rdflib's `Graph.query` gives them."""
    result = rdflib.query.Result("SELECT")
    result.vars = [rdflib.Variable(name) for name in variables]
    with _quiet_about_ill_typed_literals():
        result.bindings = [
            {rdflib.Variable(name): to_rdflib_term(term) for name, term in solution.items()} for solution in solutions
        ]
    return result


def graphs_of_rdflib(g: rdflib.Graph) -> list[tuple[NamedNode | None, list[Triple]]]:
    """Each graph that has triples, with its name, if it has one: of a Dataset several, of a Graph one."""
    if not isinstance(g, ConjunctiveGraph):
        return [triples_of_rdflib(g)]
    graphs = g.graphs() if isinstance(g, rdflib.Dataset) else g.contexts()
    return [(_name_of(part), [_triple(parts) for parts in part]) for part in graphs if len(part)]


def to_rdflib_term(term: Term) -> rdflib.term.Identifier:
    """One term for rdflib, with the lexical form as it is."""
    if isinstance(term, NamedNode):
        return rdflib.URIRef(term.value)
    if isinstance(term, BlankNode):
        return rdflib.BNode(term.value)
    if isinstance(term, Literal) and term.direction is None:
        return _to_rdflib_literal(term)
    raise InvalidTerm(wanted="a term of RDF 1.1 for rdflib", found=str(term))


def _to_rdflib_literal(literal: Literal) -> rdflib.Literal:
    if literal.language:
        return rdflib.Literal(literal.value, lang=literal.language)
    if literal.datatype == XSD["string"]:
        return rdflib.Literal(literal.value)
    datatype = rdflib.URIRef(literal.datatype.value)
    made = rdflib.Literal(literal.value, datatype=datatype, normalize=False)
    if str(made) != literal.value:
        # rdflib collapses white space of xsd:token and xsd:normalizedString, asked or not.
        made = rdflib.Literal(literal.value, datatype=_UNTOUCHED)
        made._datatype = datatype
    return made


def triples_of_rdflib(g: rdflib.Graph, graph: NamedNode | None = None) -> tuple[NamedNode | None, list[Triple]]:
    """The triples of a graph and its name, if it has one.

    Of a Dataset that is the graph named `graph`, or its only graph with triples; those of its default graph go by the
    name `graph`.
    """
    if not isinstance(g, rdflib.Graph):
        raise InvalidTerm(wanted="an rdflib Graph or Dataset", found=type(g).__name__)
    chosen = _chosen(g, graph) if isinstance(g, ConjunctiveGraph) else g
    return graph or _name_of(chosen), [_triple(parts) for parts in chosen]


def _chosen(dataset: ConjunctiveGraph, graph: NamedNode | None) -> rdflib.Graph:
    graphs = dataset.graphs() if isinstance(dataset, rdflib.Dataset) else dataset.contexts()
    filled = {part.identifier: part for part in graphs if len(part)}
    if graph is not None:
        return filled.get(rdflib.URIRef(graph.value)) or _default_graph(dataset)
    if len(filled) > 1:
        names = ", ".join(sorted(f"<{name}>" for name in filled))
        raise InvalidTerm(wanted="a dataset with one graph, or its name as graph=", found=str(names))
    return next(iter(filled.values()), _default_graph(dataset))


def _default_graph(dataset: ConjunctiveGraph) -> rdflib.Graph:
    # The older class has it under another name, and asking the newer one by that name warns.
    name = "default_graph" if isinstance(dataset, rdflib.Dataset) else "default_context"
    graph: rdflib.Graph = getattr(dataset, name)
    return graph


def _name_of(graph: rdflib.Graph) -> NamedNode | None:
    named = isinstance(graph.identifier, rdflib.URIRef) and graph.identifier != DATASET_DEFAULT_GRAPH_ID
    return _iri(graph.identifier) if named else None


def _triple(parts: tuple[object, ...]) -> Triple:
    subject, predicate, object_ = map(from_rdflib_term, parts)
    if not isinstance(subject, NamedNode | BlankNode) or not isinstance(predicate, NamedNode):
        raise InvalidTerm(wanted="a subject and a predicate that RDF allows", found=f"{subject} {predicate}")
    return Triple(subject, predicate, object_)


def from_rdflib_term(term: object) -> Term:
    """One of rdflib's terms, with the lexical form as it is."""
    try:
        if isinstance(term, rdflib.URIRef):
            return _iri(term)
        if isinstance(term, rdflib.BNode):
            return BlankNode(str(term))
        if isinstance(term, rdflib.Literal):
            return _literal(term)
    except ValueError as error:
        raise InvalidTerm(wanted="a term of RDF", found=f"{term!r}: {error}") from None
    raise InvalidTerm(wanted="an IRI, a blank node or a literal of rdflib", found=type(term).__name__)


def _iri(term: rdflib.term.Identifier) -> NamedNode:
    return NamedNode(str(term))


def _literal(term: rdflib.Literal) -> Literal:
    if term.language:
        return Literal(str(term), language=term.language)
    return Literal(str(term), datatype=NamedNode(str(term.datatype)) if term.datatype else None)


@contextmanager
def _quiet_about_ill_typed_literals() -> Iterator[None]:
    """rdflib logs a traceback for each ill-typed literal; events may hold them by right."""
    here = threading.get_ident()
    logger = logging.getLogger("rdflib.term")

    def elsewhere(_record: logging.LogRecord) -> bool:
        return threading.get_ident() != here

    logger.addFilter(elsewhere)
    try:
        yield
    finally:
        logger.removeFilter(elsewhere)
