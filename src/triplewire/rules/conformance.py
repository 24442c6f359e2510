"""Conformance (section 2.1): after each change, what it touched has to be as the schema wants it.

(a) every resource belongs to a class; (b) every property is declared, with domain and range; (c) subject and object
are of the declared types. Only what a change can have broken is looked at: what was inserted, and, where a resource has
lost or gained a class, its arcs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from triplewire.errors import SchemaViolation
from triplewire.rdf.terms import Literal, NamedNode, Term, Triple
from triplewire.rules.changes import Changes
from triplewire.rules.graphs import Graph
from triplewire.rules.literals import is_of
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import CONTAINERS, RESOURCE, TYPE, is_datatype, number_of

_SHOWN = 5


class Classes(Protocol):
    """The classes of nodes. Whether a node has one is asked apart: who asks that has not read the others."""

    def of(self, node: Term) -> Iterable[Term]: ...

    def has(self, node: Term, cls: NamedNode) -> bool: ...


class ArcConformance:
    """Checks single triples against a schema, given the classes of their ends. Raises `SchemaViolation`."""

    def __init__(self, schema: Schema, classes: Classes) -> None:
        self._schema = schema
        self._classes = classes

    def check_names(self, triples: Iterable[Triple]) -> None:
        """That each triple has a property, and rdf:type a class, of the schema; before anything is derived from it."""
        for triple in triples:
            if triple.predicate == TYPE:
                if not self._schema.is_class(triple.object):
                    raise _broken("a", triple, f"wanted a class of the schema, found {triple.object}")
            elif not self._schema.is_property(triple.predicate):
                raise _broken("b", triple, f"wanted a property of the schema, found {triple.predicate}")

    def check_arc(self, triple: Triple) -> None:
        """One triple that is not of rdf:type."""
        if number_of(triple.predicate) is not None:
            self.check_member(triple)
            return
        domain, wanted = self._schema.domain(triple.predicate), self._schema.range(triple.predicate)
        for name, declared in (("domain", domain), ("range", wanted)):
            if not declared:
                raise _broken("b", triple, f"wanted a {name} of {triple.predicate} in the schema, found none")
        self._check_resource(triple, triple.subject, domain, "source")
        self._check_end(triple, wanted)

    def check_member(self, triple: Triple) -> None:
        """One triple from a container to an element."""
        classes = self._classes_of(triple, triple.subject)
        if CONTAINERS.isdisjoint(classes):
            raise _broken("c", triple, f"wanted a container as the source, found an instance of {_listed(classes)}")
        wanted = frozenset().union(*(self._schema.elements(cls) for cls in classes if isinstance(cls, NamedNode)))
        self._check_end(triple, wanted)

    def _check_end(self, triple: Triple, wanted: frozenset[NamedNode]) -> None:
        target = triple.object
        if not isinstance(target, Literal):
            self._check_resource(triple, target, wanted, "target")
            return
        for datatype in wanted:
            if not is_datatype(datatype):
                raise _broken("c", triple, f"wanted an instance of {datatype} as the target, found {target}")
            if not is_of(target, datatype):
                raise _broken("c", triple, f"wanted a literal of {datatype} as the target, found {target}")

    def _check_resource(self, triple: Triple, node: Term, wanted: frozenset[NamedNode], role: str) -> None:
        named = wanted - {RESOURCE}
        missing = next((cls for cls in named if not self._classes.has(node, cls)), None)
        if named and missing is None:
            return
        classes = self._classes_of(triple, node)
        if missing is not None:
            what = "a literal" if is_datatype(missing) else "an instance"
            found = f"{node}, an instance of {_listed(classes)}"
            raise _broken("c", triple, f"wanted {what} of {missing} as the {role}, found {found}")

    def _classes_of(self, triple: Triple, node: Term) -> frozenset[Term]:
        classes = frozenset(self._classes.of(node))
        if not classes:
            raise _broken("a", triple, f"wanted a class of the resource {node}, found none")
        return classes


class Conformance:
    """Checks changes to a graph against a schema. Raises `SchemaViolation`."""

    def __init__(self, schema: Schema, graph: Graph) -> None:
        self._schema = schema
        self._graph = graph
        self.arcs = ArcConformance(schema, _InGraph(graph))

    def check(self, changes: Changes) -> None:
        """That the graph, after the changes, conforms, if it did before them."""
        for triple in changes.inserted:
            if triple.predicate != TYPE:
                self.arcs.check_arc(triple)
            elif isinstance(triple.object, NamedNode) and self._schema.elements(triple.object):
                self._check_elements(triple.subject)
        for triple in changes.deleted:
            if triple.predicate == TYPE:
                self._check_without(triple)

    def _check_elements(self, container: Term) -> None:
        for triple in self._graph.match(container, None, None):
            if number_of(triple.predicate) is not None:
                self.arcs.check_member(triple)

    def _check_without(self, lost: Triple) -> None:
        """The arcs of a resource that is no longer an instance of a class."""
        for triple in self._graph.match(lost.subject, None, None):
            if triple.predicate != TYPE:
                self.arcs.check_arc(triple)
        for triple in self._graph.match(None, None, lost.subject):
            self.arcs.check_arc(triple)


class _InGraph:
    """The classes that nodes have in a graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def of(self, node: Term) -> Iterable[Term]:
        return (found.object for found in self._graph.match(node, TYPE, None))

    def has(self, node: Term, cls: NamedNode) -> bool:
        return next(iter(self._graph.match(node, TYPE, cls)), None) is not None


def _broken(clause: str, triple: Triple, problem: str) -> SchemaViolation:
    return SchemaViolation(clause, str(triple), problem)


def _listed(classes: Iterable[Term]) -> str:
    names = sorted(str(cls) for cls in classes)
    return ", ".join([*names[:_SHOWN], *(["..."] if len(names) > _SHOWN else [])])
