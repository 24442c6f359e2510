"""Schemas: what the resources of a repository may be, and which arcs may lead where.

A schema is read from RDFS: classes, properties with their domains and ranges, and both hierarchies. Domains and
ranges are constraints here, as section 2.1 wants them, and never make a resource an instance of anything. A container
class is a subclass of rdf:Bag, rdf:Seq or rdf:Alt; `tw:elementClass` says what its elements are, which RDFS has no word
for.

>>> schema = Schema.parse('''
...     @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
...     @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
...     @prefix ex: <http://example.org/> .
...     ex:Book rdfs:subClassOf ex:LO .
...     ex:title rdfs:domain ex:LO ; rdfs:range xsd:string .
... ''')
>>> sorted(cls.value for cls in schema.superclasses(NamedNode("http://example.org/Book")))
['http://example.org/Book', 'http://example.org/LO']
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from triplewire.algebra.derivations import chain
from triplewire.algebra.hierarchy import Edge, Hierarchy
from triplewire.errors import InputError, InvalidTerm
from triplewire.rdf.documents import format_for, read_document
from triplewire.rdf.parsing.quads import QuadReader
from triplewire.rdf.terms import RDF, RDFS, NamedNode, Quad, Term, Triple
from triplewire.rules.vocabulary import CONTAINERS, ELEMENT_CLASS, MEMBERSHIP, RESOURCE, TYPE, is_datatype, number_of

Nodes = frozenset[NamedNode]
Arc = tuple[NamedNode, NamedNode, NamedNode]

_DEFAULT_FORMAT = "turtle"
_SUBCLASS = RDFS["subClassOf"]
_SUBPROPERTY = RDFS["subPropertyOf"]
_DOMAIN = RDFS["domain"]
_RANGE = RDFS["range"]
_CLASSES = frozenset({RDFS["Class"], NamedNode("http://www.w3.org/2002/07/owl#Class")})
_PROPERTIES = frozenset(
    {
        RDF["Property"],
        NamedNode("http://www.w3.org/2002/07/owl#ObjectProperty"),
        NamedNode("http://www.w3.org/2002/07/owl#DatatypeProperty"),
    }
)
_SAYING = frozenset({TYPE, _SUBCLASS, _SUBPROPERTY, _DOMAIN, _RANGE, ELEMENT_CLASS})
_NONE: Nodes = frozenset()


class Schema:
    """An immutable schema. Two that say the same are equal."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._triples = frozenset(triples)
        said = _gathered(self._triples)
        self._domains, self._ranges = _grouped(said[_DOMAIN]), _grouped(said[_RANGE])
        self._elements = _grouped(said[ELEMENT_CLASS])
        self._class_tree = _hierarchy(said[_SUBCLASS])
        self._property_tree = _hierarchy(said[_SUBPROPERTY])
        self.classes = _classes(said)
        self.properties = _properties(said)
        self._above: dict[NamedNode, Nodes] = {}

    @classmethod
    def parse(
        cls,
        data: bytes | str | os.PathLike[str],
        format: str = _DEFAULT_FORMAT,  # noqa: A002  the public name
        source: str | None = None,
        *,
        base: str | None = None,
    ) -> Schema:
        """Read an RDF document: text, bytes, or a path. What says nothing about classes and properties is passed over.

        A file's suffix decides its format, unless another than the default is asked for. Relative IRIs count from
        `base`, or else from the file's URL.
        """
        document = read_document(data, source=source)
        quads = QuadReader(document, format_for(document, format, _DEFAULT_FORMAT), base=base)
        try:
            return cls(list(_checked(quads)))
        except InputError as error:
            placed = quads.blame(error) if isinstance(error, InvalidTerm) else error
            raise placed.located_in(document.source) from None

    def merge(self, other: Schema) -> Schema:
        """What both say, together."""
        return Schema(self._triples | other._triples)

    @property
    def triples(self) -> frozenset[Triple]:
        """What the schema says, as RDF that makes the same schema again."""
        return self._triples

    @property
    def is_empty(self) -> bool:
        """Whether it names nothing: then nothing has to conform to it, and nothing follows by it."""
        return not self.classes and not self.properties

    # Classes

    def is_class(self, iri: Term) -> bool:
        """Whether a resource may be an instance of it: a class of the schema, or rdf:Bag, rdf:Seq or rdf:Alt."""
        return iri in self.classes or iri in CONTAINERS

    def superclasses(self, cls: NamedNode) -> Nodes:
        """The class and all above it, without rdfs:Resource."""
        known = self._above.get(cls)
        if known is None:
            known = self._above[cls] = (self._class_tree.above(cls) | {cls}) - {RESOURCE}
        return known

    def subclasses(self, cls: NamedNode) -> Nodes:
        """The class and all below it."""
        return self._class_tree.below(cls) | {cls}

    def class_axioms(self, low: NamedNode, high: NamedNode) -> tuple[Triple, ...] | None:
        """What makes a class a subclass of another; None if nothing does."""
        return chain(self._class_tree, _SUBCLASS, low, high)

    @cached_property
    def containers(self) -> Nodes:
        """The classes whose instances are containers, without rdf:Bag, rdf:Seq and rdf:Alt themselves."""
        return frozenset(cls for cls in self.classes if not CONTAINERS.isdisjoint(self.superclasses(cls)))

    def elements(self, cls: NamedNode) -> Nodes:
        """What the elements of a container class have to be, as it or a class above it says; nothing: anything."""
        own = self._elements.get(cls, _NONE)
        return own or frozenset().union(*(self._elements.get(c, _NONE) for c in self.superclasses(cls)))

    def knows(self, triple: Triple) -> bool:
        """Whether it has a word for the triple: its property, or, of rdf:type, its class. An empty one forbids none."""
        if self.is_empty:
            return True
        return self.is_class(triple.object) if triple.predicate == TYPE else self.is_property(triple.predicate)

    # Properties

    def is_property(self, iri: Term) -> bool:
        """Whether an arc may have this name: a property of the schema, rdf:type, or a membership property."""
        if not isinstance(iri, NamedNode):
            return False
        return iri in self.properties or iri == TYPE or number_of(iri) is not None

    def superproperties(self, prop: NamedNode) -> Nodes:
        """The property and all above it."""
        return self._property_tree.above(prop) | {prop}

    def subproperties(self, prop: NamedNode) -> Nodes:
        """The property and all below it."""
        return self._property_tree.below(prop) | {prop}

    def property_axioms(self, low: NamedNode, high: NamedNode) -> tuple[Triple, ...] | None:
        """What makes a property a subproperty of another; None if nothing does."""
        return chain(self._property_tree, _SUBPROPERTY, low, high)

    def domain(self, prop: NamedNode) -> Nodes:
        """What the source of the arc has to be, all of it; where the property does not say, its superproperties do."""
        return self._said(self._domains, prop)

    def range(self, prop: NamedNode) -> Nodes:
        """What the target of the arc has to be, all of it; where the property does not say, its superproperties do."""
        return self._said(self._ranges, prop)

    @cached_property
    def arcs(self) -> frozenset[Arc]:
        """Each property from each class of its domain to each of its range.

        A container class has an arc rdfs:ContainerMembershipProperty to its elements' class, and stands for all rdf:_n.
        """
        declared = {(d, p, r) for p in self.properties for d in self.domain(p) for r in self.range(p)}
        members = {(cls, MEMBERSHIP, e) for cls in self.containers for e in self.elements(cls)}
        return frozenset(declared | members)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self._triples == other._triples

    def __hash__(self) -> int:
        return hash(self._triples)

    def __repr__(self) -> str:
        return f"<Schema: {len(self.classes)} classes, {len(self.properties)} properties>"

    def _said(self, said: Mapping[NamedNode, Nodes], prop: NamedNode) -> Nodes:
        own = said.get(prop, _NONE)
        return own or frozenset().union(*(said.get(p, _NONE) for p in self._property_tree.above(prop)))


def _checked(quads: Iterable[Quad]) -> Iterable[Triple]:
    for quad in quads:
        if quad.predicate not in _SAYING:
            continue
        for end in (quad.subject, quad.object):
            if not isinstance(end, NamedNode):
                raise InvalidTerm(wanted=f"an IRI as class or property at {quad.predicate} in a schema", found=str(end))
        yield quad.triple


def _gathered(triples: Iterable[Triple]) -> Mapping[NamedNode, list[tuple[NamedNode, NamedNode]]]:
    said: dict[NamedNode, list[tuple[NamedNode, NamedNode]]] = defaultdict(list)
    for triple in triples:
        if isinstance(triple.subject, NamedNode) and isinstance(triple.object, NamedNode):
            said[triple.predicate].append((triple.subject, triple.object))
    return said


Said = Mapping[NamedNode, list[tuple[NamedNode, NamedNode]]]


def _classes(said: Said) -> Nodes:
    declared = {subject for subject, kind in said[TYPE] if kind in _CLASSES}
    named = {node for pair in said[_SUBCLASS] for node in pair} | {
        node for pair in said[ELEMENT_CLASS] for node in pair
    }
    ends = {cls for _, cls in (*said[_DOMAIN], *said[_RANGE])}
    found = declared | named | ends
    return frozenset(cls for cls in found if not is_datatype(cls)) - CONTAINERS - {RESOURCE}


def _properties(said: Said) -> Nodes:
    declared = {subject for subject, kind in said[TYPE] if kind in _PROPERTIES}
    named = {node for pair in said[_SUBPROPERTY] for node in pair}
    constrained = {prop for prop, _ in (*said[_DOMAIN], *said[_RANGE])}
    return frozenset(declared | named | constrained)


def _grouped(pairs: Iterable[tuple[NamedNode, NamedNode]]) -> dict[NamedNode, Nodes]:
    grouped: dict[NamedNode, set[NamedNode]] = defaultdict(set)
    for subject, value in pairs:
        grouped[subject].add(value)
    return {subject: frozenset(values) for subject, values in grouped.items()}


def _hierarchy(pairs: Iterable[tuple[NamedNode, NamedNode]]) -> Hierarchy:
    edges: list[Edge] = list(pairs)
    return Hierarchy.of(edges)
