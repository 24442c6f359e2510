"""Taxonomies: an RDFS class and property hierarchy with listed instances.

What a node stands under, its ancestors, is three things together: its types with all their superclasses, its own
superclasses, and its own superproperties. Types come from the taxonomy (listed instances) and from the event. The
relation is strict: a class is not a descendant of itself.

>>> taxonomy = Taxonomy.parse('''
...     @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
...     @prefix ex: <http://example.org/> .
...     ex:Journal rdfs:subClassOf ex:Publication .
...     ex:tods a ex:Journal .
... ''')
>>> sorted(node.value for node in taxonomy.ancestors(NamedNode("http://example.org/tods")))
['http://example.org/Journal', 'http://example.org/Publication']
"""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise

from triplewire.algebra.constraints import TaxonomyRelation
from triplewire.algebra.derivations import Derivation, chain
from triplewire.algebra.hierarchy import Edge, Hierarchy, Links, Memo, Resource
from triplewire.errors import InputError, InvalidTerm, TaxonomyCycle
from triplewire.rdf.documents import format_for, read_document
from triplewire.rdf.parsing.quads import QuadReader
from triplewire.rdf.terms import RDF, RDFS, BlankNode, Literal, NamedNode, Quad, Term, Triple

TypesInEvent = Callable[[Term], Iterable[Term]] | Mapping[Term, Iterable[Term]]

_DEFAULT_FORMAT = "turtle"
_TYPE = RDF["type"]
_SUBCLASS = RDFS["subClassOf"]
_SUBPROPERTY = RDFS["subPropertyOf"]
_HIERARCHY = (_SUBCLASS, _SUBPROPERTY)
# A declaration makes the node known as a class or property; it does not make it an instance.
_DECLARATIONS = frozenset({RDFS["Class"], NamedNode("http://www.w3.org/2002/07/owl#Class"), RDF["Property"]})
_NONE: frozenset[NamedNode] = frozenset()


class Taxonomy:
    """An immutable taxonomy. Two with the same `version` say the same."""

    def __init__(self, classes: Hierarchy, properties: Hierarchy, types: Links, declared: frozenset[NamedNode]) -> None:
        self._classes = classes
        self._properties = properties
        self._types = types
        self._declared = declared
        self._ancestors = Memo()

    @classmethod
    def parse(
        cls,
        data: bytes | str | os.PathLike[str],
        format: str = _DEFAULT_FORMAT,  # noqa: A002  the public name
        source: str | None = None,
        *,
        base: str | None = None,
    ) -> Taxonomy:
        """Read an RDF document: text, bytes, or a path. Everything but the hierarchy is passed over.

        A file's suffix decides its format, unless another than the default is asked for. Relative IRIs count from
        `base`, or else from the file's URL.
        """
        document = read_document(data, source=source)
        quads = QuadReader(document, format_for(document, format, _DEFAULT_FORMAT), base=base)
        try:
            return cls.from_triples(quads)
        except InputError as error:
            placed = _on_its_line(error, quads) if isinstance(error, TaxonomyCycle) else quads.blame(error)
            raise placed.located_in(document.source) from None

    @classmethod
    def from_triples(cls, triples: Iterable[Triple | Quad]) -> Taxonomy:
        """Build from rdfs:subClassOf, rdfs:subPropertyOf and rdf:type triples."""
        edges: dict[NamedNode, list[Edge]] = {_TYPE: [], _SUBCLASS: [], _SUBPROPERTY: []}
        for triple in triples:
            if triple.predicate in edges:
                edges[triple.predicate].append(_edge(triple))
        listed = [edge for edge in edges[_TYPE] if edge[1] not in _DECLARATIONS]
        declared = (edge[0] for edge in edges[_TYPE] if edge[1] in _DECLARATIONS)
        mentioned = (node for name in (_SUBCLASS, _SUBPROPERTY) for edge in edges[name] for node in edge)
        classes = Hierarchy.of(edges[_SUBCLASS])
        return cls(
            classes,
            Hierarchy.of(edges[_SUBPROPERTY]),
            _types(listed, classes),
            _named([*declared, *mentioned, *(edge[1] for edge in listed)]),
        )

    @cached_property
    def version(self) -> str:
        """A hash of what the taxonomy says, whatever the order or the format it was written in."""
        lines = [f"{c} {_SUBCLASS} {p}" for c, p in self._classes.edges]
        lines += [f"{c} {_SUBPROPERTY} {p}" for c, p in self._properties.edges]
        lines += [f"{node} {_TYPE} {cls}" for node, types in self._types.items() for cls in types]
        lines += [f"{node}" for node in self._declared]
        return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]

    @property
    def triples(self) -> Iterable[Triple]:
        """What the taxonomy says, as RDF that `from_triples` reads back. Declarations are all of rdfs:Class."""
        yield from (Triple(child, _SUBCLASS, parent) for child, parent in self._classes.edges)
        yield from (Triple(child, _SUBPROPERTY, parent) for child, parent in self._properties.edges)
        yield from (Triple(node, _TYPE, cls) for node, types in self._types.items() for cls in types)
        yield from (Triple(node, _TYPE, RDFS["Class"]) for node in self._declared)

    def knows(self, iri: Term) -> bool:
        """Whether the node is a class or a property here; an instance alone is not."""
        return iri in self._declared

    def parents(self, iri: NamedNode) -> frozenset[NamedNode]:
        """Direct superclasses and superproperties."""
        return self._classes.parents.get(iri, _NONE) | self._properties.parents.get(iri, _NONE)

    def types(self, iri: NamedNode) -> frozenset[NamedNode]:
        """The classes that list the node as their instance."""
        return self._types.get(iri, _NONE)

    @property
    def nodes(self) -> frozenset[NamedNode]:
        """Every class, property and listed instance."""
        return self._declared | frozenset(self._types)

    def superclasses(self, iri: NamedNode) -> frozenset[NamedNode]:
        """The classes above a class: what an event adds to a node that it gives this type."""
        return self._classes.above(iri)

    def ancestors(self, iri: NamedNode) -> frozenset[NamedNode]:
        """Everything that the node stands under, as far as the taxonomy alone says."""
        known = self._ancestors.get(iri)
        return self._ancestors.keep(iri, self._climb(iri)) if known is None else known

    def descendants(self, cls: NamedNode) -> frozenset[NamedNode]:
        """Everything that stands under the class or property: subclasses, subproperties and listed instances."""
        classes = self._classes.below(cls)
        instances = (self._instances.get(c, _NONE) for c in (cls, *classes))
        return classes.union(self._properties.below(cls), *instances)

    def is_a(self, x: Term, cls: Term, event_types: Iterable[Term] = ()) -> bool:
        """Whether `x` stands under `cls`; `event_types` are the types that the event gives to `x`."""
        if isinstance(x, NamedNode) and cls in self.ancestors(x):
            return True
        return any(t == cls or cls in self._superclasses(t) for t in event_types)

    def is_direct(self, x: Term, cls: Term, event_types: Iterable[Term] = ()) -> bool:
        """Whether `x` is a direct instance, subclass or subproperty of `cls`."""
        if isinstance(x, NamedNode) and (cls in self.types(x) or cls in self.parents(x)):
            return True
        return cls in event_types

    def holds(self, relation: TaxonomyRelation, node: Term, cls: NamedNode, types_in_event: TypesInEvent) -> bool:
        """Whether `node` stands to `cls` as `relation` says. `types_in_event` gives a term's rdf:type objects there."""
        if isinstance(node, Literal | Triple):
            return False
        if relation is TaxonomyRelation.IS_A:
            return self.is_a(node, cls, _given(types_in_event, node))
        if relation is TaxonomyRelation.ANCESTOR_OF:
            return self.is_a(cls, node, _given(types_in_event, cls))
        if relation is TaxonomyRelation.DIRECT_OR_SAME and not self.knows(cls):
            return node == cls
        return self.is_direct(node, cls, _given(types_in_event, node))

    def derivation(
        self, relation: TaxonomyRelation, node: Term, cls: NamedNode, types_in_event: TypesInEvent
    ) -> Derivation | None:
        """Why `node` stands to `cls` as `relation` says, by as few axioms as may be.

        None where it does not, and where the two are the same term, which nothing has to make so.
        """
        low, high = (cls, node) if relation is TaxonomyRelation.ANCESTOR_OF else (node, cls)
        if not isinstance(high, NamedNode) or not self.holds(relation, node, cls, types_in_event):
            return None
        ways = self._ways(low, high, _given(types_in_event, low))
        if relation in (TaxonomyRelation.DIRECT, TaxonomyRelation.DIRECT_OR_SAME):
            ways = (way for way in ways if len(way.axioms) + len(way.premises) == 1)
        return min(ways, key=lambda way: len(way.axioms), default=None)

    def restricted(self, nodes: Iterable[Term]) -> Taxonomy:
        """What it says about these nodes and everything that they stand under."""
        kept: set[NamedNode] = set()
        waiting = [node for node in nodes if isinstance(node, NamedNode)]
        while waiting:
            node = waiting.pop()
            if node not in kept:
                kept.add(node)
                waiting.extend(self.parents(node) | self.types(node))
        classes, properties = (
            Hierarchy({node: tree.parents[node] for node in kept if node in tree.parents})
            for tree in (self._classes, self._properties)
        )
        types = {node: self._types[node] for node in kept if node in self._types}
        return Taxonomy(classes, properties, types, self._declared & kept)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Taxonomy) and self.version == other.version

    def __hash__(self) -> int:
        return hash(self.version)

    def __repr__(self) -> str:
        return f"<Taxonomy {self.version}: {len(self._declared)} classes and properties, {len(self._types)} instances>"

    @cached_property
    def _instances(self) -> Links:
        return Hierarchy(self._types).children

    def _superclasses(self, term: Term) -> frozenset[NamedNode]:
        return self._classes.above(term) if isinstance(term, NamedNode) else _NONE

    def _ways(self, node: Term, cls: NamedNode, types: Iterable[Term]) -> Iterator[Derivation]:
        """What the event asserts first, then what the taxonomy alone says."""
        if not isinstance(node, NamedNode | BlankNode):
            return
        said = Triple(node, _TYPE, cls)
        for given in sorted((t for t in types if isinstance(t, NamedNode)), key=str):
            axioms = chain(self._classes, _SUBCLASS, given, cls)
            if axioms is not None:
                yield Derivation(said, axioms, (Triple(node, _TYPE, given),))
        if isinstance(node, BlankNode):
            return
        for listed in sorted(self.types(node), key=str):
            axioms = chain(self._classes, _SUBCLASS, listed, cls)
            if axioms is not None:
                yield Derivation(said, (Triple(node, _TYPE, listed), *axioms))
        for hierarchy, up in ((self._classes, _SUBCLASS), (self._properties, _SUBPROPERTY)):
            axioms = chain(hierarchy, up, node, cls)
            if axioms:
                yield Derivation(Triple(node, up, cls), axioms)

    def _climb(self, iri: NamedNode) -> frozenset[NamedNode]:
        types = self.types(iri)
        above_types = (self._classes.above(cls) for cls in types)
        return types.union(self._classes.above(iri), self._properties.above(iri), *above_types)


def _given(types_in_event: TypesInEvent, term: Term) -> Iterable[Term]:
    return types_in_event.get(term, ()) if isinstance(types_in_event, Mapping) else types_in_event(term)


def _edge(triple: Triple | Quad) -> Edge:
    return _resource(triple, triple.subject), _resource(triple, triple.object)


def _resource(triple: Triple | Quad, term: Term) -> Resource:
    if isinstance(term, NamedNode | BlankNode):
        return term
    raise InvalidTerm(
        subject=f"{triple.predicate} in a taxonomy", wanted="a class, a property or an instance", found=str(term)
    )


def _named(nodes: Iterable[Resource]) -> frozenset[NamedNode]:
    return frozenset(node for node in nodes if isinstance(node, NamedNode))


def _types(listed: Iterable[Edge], classes: Hierarchy) -> Links:
    types: dict[NamedNode, set[NamedNode]] = defaultdict(set)
    for instance, cls in listed:
        if isinstance(instance, NamedNode):
            types[instance].update(classes.named(cls))
    return {instance: frozenset(found) for instance, found in types.items() if found}


def _on_its_line(error: TaxonomyCycle, quads: QuadReader) -> TaxonomyCycle:
    """Blame the edge of the cycle that comes last in the document."""
    edges = set(pairwise(error.cycle))
    closing = [n for n, quad in enumerate(quads, 1) if quad.predicate in _HIERARCHY and _names(quad) in edges]
    return error.standing_at(quads.line_of(closing[-1])) if closing else error


def _names(quad: Quad) -> tuple[str, str]:
    child, parent = (end.value if isinstance(end, NamedNode) else str(end) for end in (quad.subject, quad.object))
    return child, parent


EMPTY = Taxonomy.from_triples(())
