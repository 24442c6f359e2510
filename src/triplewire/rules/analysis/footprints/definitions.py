"""The sets that section 2.4 defines for a path and for a triple, by their own names."""

from __future__ import annotations

from triplewire.languages.rdftl.syntax import Action, Arc, Event, Path, ResourceAction, ResourceEvent
from triplewire.rdf.terms import NamedNode
from triplewire.rules.analysis.footprints.arcs import matched
from triplewire.rules.analysis.footprints.extents import Classes, Instances, SchemaTriple
from triplewire.rules.analysis.footprints.paths import Scope, known, walk


def nodes(part: Path | Event | Action, scope: Scope) -> frozenset[NamedNode]:
    """nodes(v, S): the classes whose instances a path may return, with all superclasses but rdfs:Resource.

    For the insertion or deletion of a resource with its class, the class counts and not the path.
    """
    if isinstance(part, Path):
        return _closed(walk(part, scope).classes, scope)
    assert isinstance(part, ResourceEvent | ResourceAction), f"wanted a resource's event or action, found {part}"
    if part.of_class is None:
        return nodes(part.path, scope)
    return _closed(frozenset({known(part.of_class)}), scope)


def triples(arc: Arc, scope: Scope) -> frozenset[SchemaTriple]:
    """triples(t, S): the schema's triples whose instances a triple may match, with those of superproperties."""
    return scope.index.triples_in(scope.index.upward(matched(arc, scope).extents(scope.index)))


def triples_queried(path: Path, scope: Scope) -> frozenset[SchemaTriple]:
    """triplesQueried(p, S): the schema's triples that the evaluation of a path may access."""
    return scope.index.triples_in(walk(path, scope).reads)


def _closed(classes: Classes, scope: Scope) -> frozenset[NamedNode]:
    found = scope.index.read(scope.index.upward(scope.index.instances(classes)))
    return frozenset(extent.of for extent in found if isinstance(extent, Instances))
