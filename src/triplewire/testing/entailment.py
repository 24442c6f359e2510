"""The taxonomy's relations, computed the slow and obvious way: by walking the triples anew for every question.

Deliberately apart from `algebra.taxonomy`, whose closure tables this is the twin of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triplewire.rdf.terms import RDF, RDFS, Literal, NamedNode, Term, Triple

_TYPE = RDF["type"]
_SUBCLASS = RDFS["subClassOf"]
_SUBPROPERTY = RDFS["subPropertyOf"]
# "ex:Paper a rdfs:Class" declares a class: it lists no instance.
_KINDS = (RDFS["Class"], RDF["Property"], NamedNode("http://www.w3.org/2002/07/owl#Class"))


class Entailment:
    """What a taxonomy and one event say about the terms in them."""

    def __init__(self, taxonomy: Iterable[Triple], event: Iterable[Triple]) -> None:
        self._taxonomy = [t for t in taxonomy if t.subject != t.object]
        self._types = [t for t in event if t.predicate == _TYPE]

    def is_a(self, x: Term, cls: Term) -> bool:
        """x is an instance, subclass or subproperty of cls, at any depth, and not cls itself.

        >>> a, b, c = (NamedNode(f"urn:{name}") for name in "abc")
        >>> known = Entailment([Triple(a, _SUBCLASS, b), Triple(b, _SUBCLASS, c)], [])
        >>> known.is_a(a, c), known.is_a(c, c), known.ancestor_of(c, a), known.direct(a, c)
        (True, False, True, False)
        """
        return any(above == cls for above in self._ancestors(x))

    def ancestor_of(self, x: Term, cls: Term) -> bool:
        return not isinstance(x, Literal) and self.is_a(cls, x)

    def direct(self, x: Term, cls: Term) -> bool:
        return (
            cls in self._one_up(x, _TYPE) or cls in self._one_up(x, _SUBCLASS) or cls in self._one_up(x, _SUBPROPERTY)
        )

    def direct_or_same(self, x: Term, cls: Term) -> bool:
        """The graph language's `=`: a child, where the taxonomy knows the class, else the very same term."""
        return self.direct(x, cls) if self._knows(cls) else x == cls

    def _knows(self, cls: Term) -> bool:
        return any(
            (t.predicate in (_SUBCLASS, _SUBPROPERTY) and cls in (t.subject, t.object))
            or (t.predicate == _TYPE and cls == (t.subject if t.object in _KINDS else t.object))
            for t in self._taxonomy
        )

    def _ancestors(self, x: Term) -> Iterator[Term]:
        for cls in self._one_up(x, _TYPE):
            yield cls
            yield from self._climb(cls, _SUBCLASS)
        yield from self._climb(x, _SUBCLASS)
        yield from self._climb(x, _SUBPROPERTY)

    def _climb(self, x: Term, relation: NamedNode) -> Iterator[Term]:
        for above in self._one_up(x, relation):
            yield above
            yield from self._climb(above, relation)

    def _one_up(self, x: Term, relation: NamedNode) -> list[Term]:
        listed = [t for t in self._taxonomy if t.object not in _KINDS]
        return [t.object for t in listed + self._types if t.subject == x and t.predicate == relation]
