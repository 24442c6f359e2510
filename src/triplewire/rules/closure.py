"""The closure over a schema's two hierarchies: what one triple makes true, and what makes a triple true."""

from __future__ import annotations

from collections.abc import Iterator

from triplewire.algebra.derivations import Derivation
from triplewire.rdf.terms import NamedNode, Triple
from triplewire.rules.graphs import Graph
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE, number_of


class Closure:
    """Which triples follow from which. It is only asked about classes and properties of its schema.

    An empty schema may be asked about anything: nothing follows.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._related: dict[tuple[str, NamedNode], bool] = {}

    def is_plain(self, triple: Triple) -> bool:
        """Whether nothing follows from the triple but itself, and it from nothing else."""
        predicate = triple.predicate
        if self._schema.is_empty:
            return True
        if predicate == TYPE:
            return not self._has_relatives("class", _class_in(triple))
        return not self._has_relatives("property", predicate)

    def follows_from(self, triple: Triple) -> tuple[Triple, ...]:
        """Everything that holds where the triple is asserted, itself first."""
        if self._schema.is_empty:
            return (triple,)
        if triple.predicate == TYPE:
            cls = _class_in(triple)
            classes = self._schema.superclasses(cls) - {cls}
            return triple, *(Triple(triple.subject, TYPE, above) for above in classes)
        properties = self._schema.superproperties(triple.predicate) - {triple.predicate}
        return triple, *(Triple(triple.subject, above, triple.object) for above in properties)

    def implied_by(self, triple: Triple, graph: Graph) -> Iterator[Triple]:
        """The assertions that make the triple hold, itself included.

        They are sought among what the node has, not among all classes below: those may be thousands.
        """
        if self._schema.is_empty:
            if graph.is_asserted(triple):
                yield triple
            return
        if triple.predicate == TYPE:
            for other in graph.match(triple.subject, TYPE, None):
                if triple.object in self._schema.superclasses(_class_in(other)) and graph.is_asserted(other):
                    yield other
            return
        for other in graph.match(triple.subject, None, triple.object):
            if triple.predicate in self._schema.superproperties(other.predicate) and graph.is_asserted(other):
                yield other

    def derivation(self, triple: Triple, graph: Graph) -> Derivation | None:
        """Why a triple holds: from the assertion that takes the fewest axioms; None if none makes it hold."""
        premises = sorted(self.implied_by(triple, graph), key=str)
        ways = [Derivation(triple, self._axioms(premise, triple), (premise,)) for premise in premises]
        return min(ways, key=lambda way: len(way.axioms), default=None)

    def _axioms(self, premise: Triple, triple: Triple) -> tuple[Triple, ...]:
        if premise == triple:
            return ()
        if triple.predicate == TYPE:
            return self._schema.class_axioms(_class_in(premise), _class_in(triple)) or ()
        return self._schema.property_axioms(premise.predicate, triple.predicate) or ()

    def _has_relatives(self, kind: str, name: NamedNode) -> bool:
        known = self._related.get((kind, name))
        if known is None:
            known = self._found_relatives(kind, name)
            if number_of(name) is None:
                self._related[kind, name] = known
        return known

    def _found_relatives(self, kind: str, name: NamedNode) -> bool:
        schema = self._schema
        if kind == "class":
            return schema.superclasses(name) | schema.subclasses(name) != {name}
        return schema.superproperties(name) | schema.subproperties(name) != {name}


def _class_in(triple: Triple) -> NamedNode:
    assert isinstance(triple.object, NamedNode)
    return triple.object
