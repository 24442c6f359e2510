"""Which extents a triple of an event or an action matches (section 2.4: triples(t, S))."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from triplewire.languages.rdftl.syntax import Arc, Delta, NextElement, Node, Path, Resource
from triplewire.rdf.terms import Literal, NamedNode
from triplewire.rules.analysis.footprints.extents import Classes, ExtentIndex, Extents, SchemaTriple, is_membership
from triplewire.rules.analysis.footprints.paths import Scope, leading, same_kind, walk
from triplewire.rules.vocabulary import MEMBERSHIP, TYPE, is_datatype

_NO_CLASSES: frozenset[NamedNode] = frozenset()


class Matched(Struct, frozen=True):
    """The schema's triples, and the classes at the end of rdf:type triples."""

    triples: tuple[SchemaTriple, ...]
    types: Classes = _NO_CLASSES

    def extents(self, index: ExtentIndex) -> Extents:
        """Both, without what the closure adds."""
        return index.of(self.triples) | index.instances(self.types)

    @property
    def sources(self) -> Classes:
        """What the arcs lead from; anything, if rdf:type is among them."""
        return frozenset(t.source for t in self.triples) if self.types == _NO_CLASSES else None

    @property
    def targets(self) -> Classes:
        """What they lead to."""
        return frozenset(t.target for t in self.triples) if self.types == _NO_CLASSES else None

    @property
    def names(self) -> frozenset[NamedNode]:
        """The properties."""
        typed = frozenset() if self.types == _NO_CLASSES else frozenset({TYPE})
        return typed | {t.property for t in self.triples}

    @property
    def nothing(self) -> bool:
        """Whether no repository that conforms to the schema has such a triple."""
        return not self.triples and self.types == _NO_CLASSES


def matched(arc: Arc, scope: Scope) -> Matched:
    """Match a triple with the schema."""
    sources, targets = node_classes(arc.source, scope), node_classes(arc.target, scope)
    names = _names(arc, scope)
    if names is None:
        found = _of_any_name(sources, targets, scope.index)
    else:
        triples = (t for name in sorted(names, key=str) for t in leading(name, sources, scope.index))
        found = [t for t in triples if same_kind(targets, t.target)]
    # A wildcard stands for every property but rdf:type.
    typed = names is not None and TYPE in names
    return Matched(tuple(found), _named_classes(arc.target, scope) if typed else _NO_CLASSES)


def _of_any_name(sources: Classes, targets: Classes, index: ExtentIndex) -> list[SchemaTriple]:
    """What a wildcard for the arc matches: the properties of what the rule knows the ends to be."""
    triples = (t for name in index.properties for t in leading(name, sources, index))
    return [t for t in triples if index.may_be(sources, t.source) and index.may_be(targets, t.target)]


def node_classes(node: Node | None, scope: Scope) -> Classes:
    """The classes of a source or target; a wildcard stands for anything."""
    if isinstance(node, Literal):
        return frozenset({node.datatype})
    return walk(node, scope).classes if isinstance(node, Path) else None


def _names(arc: Arc, scope: Scope) -> frozenset[NamedNode] | None:
    name = arc.name
    if isinstance(name, NextElement):
        return frozenset({MEMBERSHIP})
    if isinstance(name, Delta):
        return scope.arc_names
    if name is None:
        return None
    assert isinstance(name, NamedNode), f"wanted a resolved name, found {name}"
    return frozenset({MEMBERSHIP if is_membership(name) else name})


def _named_classes(target: Node | None, scope: Scope) -> Classes:
    """The classes that the target of an rdf:type arc may name."""
    if isinstance(target, Literal):
        return _NO_CLASSES
    if isinstance(target, Path) and isinstance(target.start, Resource) and target.start.iri and not target.steps:
        return frozenset({target.start.iri} if scope.index.schema.is_class(target.start.iri) else ())
    return None


def ends(triples: Iterable[SchemaTriple]) -> frozenset[NamedNode]:
    """The classes that the ends of the arcs have to be instances of."""
    return frozenset(end for t in triples for end in (t.source, t.target) if not is_datatype(end))
