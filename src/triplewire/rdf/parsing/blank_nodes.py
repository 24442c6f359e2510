"""Blank nodes keep to their event, and give way to an IRI where they name a graph.

Labels are made anew, in order of first appearance: where a syntax leaves a blank node without a label the parser
invents a random one, and parsing the same document twice must give the same event. No canonicalisation: that has no
bound (row A8).

Graphs named by blank nodes get an IRI, for only an IRI can be an event's identity (RDF 1.1, section 3.5). It depends on
the document and on which of its blank graph names it is, in order of first appearance, and on nothing else: the same
document gives the same events each time, two documents never share one. The blank node is replaced wherever the
document speaks of it, so that what is said about the graph is still said about it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from triplewire.rdf.terms import TW, BlankNode, Literal, NamedNode, Quad, Term, Triple


class Relabelling:
    """Gives the blank nodes of one event the labels b0, b1, b2... as it meets them, or others with a prefix in front.

    >>> fresh = Relabelling()
    >>> [str(fresh(BlankNode(label))) for label in ("x", "y", "x")]
    ['_:b0', '_:b1', '_:b0']
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._labels: dict[BlankNode, BlankNode] = {}

    def __call__(self, term: Term) -> Term:
        if isinstance(term, NamedNode | Literal):
            return term
        if isinstance(term, BlankNode):
            return self._labels.setdefault(term, BlankNode(f"{self._prefix}b{len(self._labels)}"))
        return self.triple(term)

    def triple(self, triple: Triple) -> Triple:
        """The same triple over the event's own labels."""
        return Triple(*map(self, triple))  # type: ignore[arg-type]


# Graphs named by blank nodes


_DIGITS = 32


def without_blank_graphs(quads: Sequence[Quad], data: bytes) -> Iterator[Quad]:
    """The quads of a document, of which `data` is the text, with an IRI for each blank node that names a graph.

    >>> quad = Quad(NamedNode("urn:s"), NamedNode("urn:p"), BlankNode("g"), BlankNode("g"))
    >>> [found] = without_blank_graphs([quad], b"the document")
    >>> found.graph_name.value, found.object == found.graph_name
    ('urn:triplewire:.well-known/genid/d2d7f344da52f6aa75f0c386c1871453', True)
    """
    names = _names(quads, hashlib.sha256(data).digest())
    for quad in quads:
        subject, predicate, object_ = (_replaced(term, names) for term in quad.triple)
        graph = quad.graph_name
        name = names[graph] if isinstance(graph, BlankNode) else graph
        yield Quad(subject, predicate, object_, name)  # type: ignore[arg-type]


def _names(quads: Sequence[Quad], document: bytes) -> dict[BlankNode, NamedNode]:
    blank = dict.fromkeys(quad.graph_name for quad in quads if isinstance(quad.graph_name, BlankNode))
    return {node: _name(document, number) for number, node in enumerate(blank)}


def _name(document: bytes, number: int) -> NamedNode:
    digest = hashlib.sha256(document + number.to_bytes(8, "big")).hexdigest()
    return TW[f".well-known/genid/{digest[:_DIGITS]}"]


def _replaced(term: Term, names: dict[BlankNode, NamedNode]) -> Term:
    if isinstance(term, NamedNode | Literal):
        return term
    if isinstance(term, BlankNode):
        return names.get(term, term)
    return Triple(*[_replaced(part, names) for part in term])  # type: ignore[arg-type]
