"""Blank nodes keep to their event: labels made anew, in order of first appearance.

Where a syntax leaves a blank node without a label the parser invents a random one; parsing the same document twice must
give the same event. No canonicalisation: that has no bound (row A8).
"""

from __future__ import annotations

from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple


class Relabelling:
    """Gives the blank nodes of one event the labels b0, b1, b2... as it meets them.

    >>> fresh = Relabelling()
    >>> [str(fresh(BlankNode(label))) for label in ("x", "y", "x")]
    ['_:b0', '_:b1', '_:b0']
    """

    def __init__(self) -> None:
        self._labels: dict[BlankNode, BlankNode] = {}

    def __call__(self, term: Term) -> Term:
        if isinstance(term, NamedNode | Literal):
            return term
        if isinstance(term, BlankNode):
            return self._labels.setdefault(term, BlankNode(f"b{len(self._labels)}"))
        return self.triple(term)

    def triple(self, triple: Triple) -> Triple:
        """The same triple over the event's own labels."""
        return Triple(*map(self, triple))  # type: ignore[arg-type]
