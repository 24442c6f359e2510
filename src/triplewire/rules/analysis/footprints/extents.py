"""What rules read and write, as sets of schema nodes and schema triples.

A schema triple (LO, dc:type, String) stands for its extent: all triples of a repository that are instances of it. A
class stands for its instances, that is, for the rdf:type triples that end in it. A set of extents is an integer with
one bit for each, so that a thousand rules can be compared with each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from msgspec import Struct

from triplewire.rdf.terms import RDF, NamedNode
from triplewire.rules.literals import may_share
from triplewire.rules.schema import Arc, Nodes, Schema
from triplewire.rules.vocabulary import CONTAINERS, MEMBERSHIP, RESOURCE, is_datatype, number_of

_LISTS = frozenset({RDF["Seq"], RDF["Alt"]})
_ANYTHING: Nodes = frozenset({RESOURCE})
_MOST_LISTED = 3


class SchemaTriple(Struct, frozen=True):
    """A property between two classes, or from a class to a datatype."""

    source: NamedNode
    property: NamedNode
    target: NamedNode

    def __str__(self) -> str:
        return f"({self.source}, {self.property}, {self.target})"


class Instances(Struct, frozen=True):
    """The instances of a class: who is in it."""

    of: NamedNode

    def __str__(self) -> str:
        return f"the instances of {self.of}"


Extent = SchemaTriple | Instances
Extents = int
"""A set of extents, one bit each. Only the index that made it can read it."""

Classes = frozenset[NamedNode] | None
"""The classes that a node may be an instance of; None where nothing is known of it."""

NOTHING: Extents = 0


def is_membership(name: NamedNode) -> bool:
    """Whether the property is rdf:_n, or the class of all of them.

    >>> is_membership(RDF["_12"]), is_membership(RDF["type"])
    (True, False)
    """
    return name == MEMBERSHIP or number_of(name) is not None


def all_literals(classes: Classes) -> bool:
    """Whether the nodes can only be literals."""
    return classes is not None and all(map(is_datatype, classes))


def no_literals(classes: Classes) -> bool:
    """Whether the nodes can only be resources."""
    return classes is not None and not any(map(is_datatype, classes))


class ExtentIndex:
    """Numbers the extents of one schema, and knows which extents a write to one of them also changes."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        triples = sorted((SchemaTriple(*arc) for arc in _arcs(schema)), key=str)
        classes = sorted(schema.classes | CONTAINERS, key=str)
        self._all: tuple[Extent, ...] = (*triples, *map(Instances, classes))
        self._bit = {extent: 1 << number for number, extent in enumerate(self._all)}
        self.triples: tuple[SchemaTriple, ...] = tuple(triples)
        self.every_triple: Extents = (1 << len(triples)) - 1
        self.everything: Extents = (1 << len(self._all)) - 1
        self.every_instance: Extents = self.everything & ~self.every_triple
        self._of_property: dict[NamedNode, tuple[SchemaTriple, ...]] = {}
        for triple in triples:
            self._of_property[triple.property] = (*self._of_property.get(triple.property, ()), triple)
        self._upward: dict[int, Extents] = {}
        self._named: dict[Extents, str] = {}

    def of(self, extents: Iterable[Extent]) -> Extents:
        """The set of them. A class that the schema does not have has no instances to read or write."""
        found = NOTHING
        for extent in extents:
            found |= self._bit.get(extent, NOTHING)
        return found

    def instances(self, classes: Classes) -> Extents:
        """The instances of the classes; of all, if they are not known."""
        everything = classes is None or RESOURCE in classes
        return self.every_instance if everything else self.of(map(Instances, classes or ()))

    @property
    def properties(self) -> tuple[NamedNode, ...]:
        """The properties of the schema's triples."""
        return tuple(self._of_property)

    def touching(self, classes: Iterable[NamedNode] | None) -> Classes:
        """Every class that a node of the classes may be an instance of."""
        if classes is None:
            return None
        classes = frozenset(classes)
        return frozenset(e.of for e in self._all if isinstance(e, Instances) and self.may_be(classes, e.of))

    def with_property(self, name: NamedNode) -> tuple[SchemaTriple, ...]:
        """The schema's triples of one property."""
        return self._of_property.get(name, ())

    def read(self, extents: Extents) -> frozenset[Extent]:
        """The members of a set."""
        return frozenset(self._members(extents))

    def named(self, extents: Extents) -> str:
        """The first few members of a set, for a sentence."""
        if extents not in self._named:
            # What may be anything says the least.
            precise = self.every_instance & extents | self.of(self.triples_in(extents))
            self._named[extents] = listed(self._members(precise or extents))
        return self._named[extents]

    def triples_in(self, extents: Extents) -> frozenset[SchemaTriple]:
        """Those members of a set that are schema triples, without rdfs:Resource, as section 2.4 has them."""
        found = (extent for extent in self._members(extents) if isinstance(extent, SchemaTriple))
        return frozenset(triple for triple in found if RESOURCE not in (triple.source, triple.target))

    def upward(self, extents: Extents) -> Extents:
        """The set, and what the RDFS closure adds: superclasses, and triples of superproperties (section 2.4)."""
        closed = NOTHING
        while extents:
            bit = extents & -extents
            extents ^= bit
            if bit not in self._upward:
                self._upward[bit] = self.of(self._above(self._all[bit.bit_length() - 1]))
            closed |= self._upward[bit]
        return closed

    def below(self, triples: Iterable[SchemaTriple]) -> Extents:
        """The triples, and those of the subproperties, which go when they go."""
        names = {name for triple in triples for name in self.schema.subproperties(triple.property)}
        return self.of(triples) | self.of(
            t for name in names for t in self.with_property(name) if not is_membership(name)
        )

    @cached_property
    def lists(self) -> Extents:
        """The memberships of containers whose order counts: rdf:Seq and rdf:Alt."""
        return self.of(t for t in self.with_property(MEMBERSHIP) if _LISTS & self.schema.superclasses(t.source))

    def may_be_both(self, one: NamedNode, other: NamedNode) -> bool:
        """Whether some class of the schema is a subclass of both."""
        if RESOURCE in (one, other):
            return not (is_datatype(one) or is_datatype(other))
        if is_datatype(one) or is_datatype(other):
            return is_datatype(one) and is_datatype(other) and may_share(one, other)
        return not self.schema.subclasses(one).isdisjoint(self.schema.subclasses(other))

    def may_be(self, classes: Classes, wanted: NamedNode) -> bool:
        """Whether a node of one of the classes may be an instance of the wanted one."""
        return classes is None or any(self.may_be_both(one, wanted) for one in classes)

    def is_below(self, cls: NamedNode, classes: Classes) -> bool:
        """Whether the class is one of the classes or below one; anything is, if they are not known."""
        if classes is None or RESOURCE in classes:
            return True
        return not classes.isdisjoint(self.schema.superclasses(cls))

    def _members(self, extents: Extents) -> Iterator[Extent]:
        while extents:
            bit = extents & -extents
            extents ^= bit
            yield self._all[bit.bit_length() - 1]

    def _above(self, extent: Extent) -> Iterator[Extent]:
        if isinstance(extent, Instances):
            yield from map(Instances, self.schema.superclasses(extent.of))
            return
        yield extent
        sources, targets = self.schema.superclasses(extent.source), self.schema.superclasses(extent.target)
        for name in self.schema.superproperties(extent.property):
            # A superproperty's triple changes whatever its domain says, so only its siblings are looked at closely.
            yield from (
                other
                for other in self.with_property(name)
                if name != extent.property or (other.source in sources and other.target in targets)
            )


def _arcs(schema: Schema) -> frozenset[Arc]:
    """The schema's, and one to or from rdfs:Resource for whatever says no domain, no range or no class of elements."""
    open_ended = {
        (d, p, r)
        for p in schema.properties
        for d in schema.domain(p) or _ANYTHING
        for r in schema.range(p) or _ANYTHING
    }
    containers = {(c, MEMBERSHIP, e) for c in schema.containers | CONTAINERS for e in schema.elements(c) or _ANYTHING}
    return schema.arcs | open_ended | containers


def listed(things: Iterable[object]) -> str:
    """The things by name; of many, the first few.

    >>> listed([])
    'nothing'
    >>> listed("abcde")
    'a, b, c and 2 more'
    """
    names = sorted(map(str, things))
    if not names:
        return "nothing"
    if len(names) > _MOST_LISTED:
        return f"{', '.join(names[:_MOST_LISTED])} and {len(names) - _MOST_LISTED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
