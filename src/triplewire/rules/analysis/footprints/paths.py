"""What a path expression leads to and what it reads, by the schema alone (section 2.4: nodes and triplesQueried)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_

from msgspec import Struct
from msgspec.structs import replace

from triplewire.languages.rdftl.syntax import (
    Both,
    Compared,
    Component,
    Condition,
    Delta,
    Either,
    Element,
    Exists,
    Let,
    Name,
    Not,
    Path,
    Resource,
    Start,
    Step,
    Target,
    Variable,
    Where,
)
from triplewire.rdf.terms import NamedNode
from triplewire.rules.analysis.footprints.extents import (
    NOTHING,
    Classes,
    ExtentIndex,
    Extents,
    SchemaTriple,
    all_literals,
    is_membership,
)
from triplewire.rules.vocabulary import MEMBERSHIP, TYPE, is_datatype


class Walk(Struct, frozen=True):
    """The classes of the nodes at the end of a path, and the extents that it reads.

    It is `bare` as long as no arc has shown that there is such a resource at all.
    """

    classes: Classes
    reads: Extents = NOTHING
    bare: bool = False


class Scope(Struct, frozen=True):
    """What names stand for where a path is written: variables, and the parts of `$delta`."""

    index: ExtentIndex
    variables: Mapping[str, Walk]
    delta: Mapping[Component, Classes] = {}
    context: Classes = None
    arc_names: frozenset[NamedNode] | None = None

    @classmethod
    def of(cls, index: ExtentIndex, lets: Iterable[Let]) -> Scope:
        """The scope after a preamble; a LET may use those before it."""
        variables: dict[str, Walk] = {}
        for let in lets:
            variables[let.name] = walk(let.path, cls(index, variables))
        return cls(index, variables)

    def on(self, delta: Mapping[Component, Classes], arc_names: frozenset[NamedNode] | None) -> Scope:
        """The scope of a condition or an action, once an event has happened."""
        return replace(self, delta=delta, arc_names=arc_names)

    def at(self, classes: Classes) -> Scope:
        """The scope of a qualifier at a node of the classes."""
        return replace(self, context=classes)


def walk(path: Path, scope: Scope) -> Walk:
    """Follow a path through the schema."""
    return reduce(lambda so_far, step: _stepped(so_far, step, scope), path.steps, _started(path.start, scope))


def known(name: Name) -> NamedNode:
    """A name that the schema has resolved."""
    assert isinstance(name, NamedNode), f"wanted a resolved name, found {name}"
    return name


def leading(name: NamedNode, classes: Classes, index: ExtentIndex) -> tuple[SchemaTriple, ...]:
    """The schema's triples of a property from nodes of the classes.

    RDFS lets a resource be in any two classes, so only a literal has no arcs. A container is taken to have one
    container class, and those above it: its memberships are that class's.
    """
    if all_literals(classes):
        return ()
    if is_membership(name):
        return tuple(t for t in index.with_property(MEMBERSHIP) if index.is_below(t.source, classes))
    return index.with_property(name)


def ending(name: NamedNode, classes: Classes, index: ExtentIndex) -> tuple[SchemaTriple, ...]:
    """The schema's triples of a property to nodes of the classes: literals where it wants literals."""
    if is_membership(name):
        return tuple(t for t in index.with_property(MEMBERSHIP) if index.may_be(classes, t.target))
    return tuple(t for t in index.with_property(name) if same_kind(classes, t.target))


def same_kind(classes: Classes, wanted: NamedNode) -> bool:
    """Whether some of the nodes are literals where literals are wanted, and resources where resources are."""
    return classes is None or any(is_datatype(one) == is_datatype(wanted) for one in classes)


def condition_reads(condition: Condition, scope: Scope) -> Extents:
    """The extents that decide whether a condition holds."""
    return reduce(or_, (nodes_sought(path, scope) for path in condition_paths(condition)), NOTHING)


def condition_paths(condition: Condition) -> list[Path]:
    """The paths of a condition, without those in qualifiers of others."""
    if isinstance(condition, Exists):
        return [condition.path]
    if isinstance(condition, Compared):
        return [condition.left, condition.right] if isinstance(condition.right, Path) else [condition.left]
    if isinstance(condition, Both | Either):
        return [path for part in condition.parts for path in condition_paths(part)]
    return condition_paths(condition.part) if isinstance(condition, Not) else []


def nodes_sought(path: Path, scope: Scope) -> Extents:
    """What decides which nodes a path leads to; without an arc, also whether the resource is there."""
    found = walk(path, scope)
    return found.reads | (scope.index.every_instance if found.bare else NOTHING)


def _started(start: Start | None, scope: Scope) -> Walk:
    if isinstance(start, Variable):
        return scope.variables[start.name]
    if isinstance(start, Delta):
        return Walk(scope.delta.get(start.component))
    return Walk(None, bare=True) if isinstance(start, Resource) else Walk(scope.context)


def _stepped(so_far: Walk, step: Step, scope: Scope) -> Walk:
    if isinstance(step, Where):
        return _narrowed(so_far, step.condition, scope)
    if isinstance(step, Element):
        return _along(so_far, leading(MEMBERSHIP, so_far.classes, scope.index), scope.index)
    name = known(step.arc)
    if name == TYPE:
        # What a resource is an instance of, any rdf:type triple can change.
        return Walk(None, so_far.reads | scope.index.every_instance)
    if isinstance(step, Target):
        return _along(so_far, leading(name, so_far.classes, scope.index), scope.index)
    return _back(so_far, ending(name, so_far.classes, scope.index), scope.index)


def _narrowed(so_far: Walk, condition: Condition, scope: Scope) -> Walk:
    read = so_far.reads | condition_reads(condition, scope.at(so_far.classes))
    if not so_far.bare or _shows_an_arc(condition):
        return Walk(so_far.classes, read)
    return Walk(so_far.classes, read | scope.index.every_instance, bare=True)


def _shows_an_arc(condition: Condition) -> bool:
    """Whether the condition can only hold at a node that has an arc."""
    if isinstance(condition, Both):
        return any(map(_shows_an_arc, condition.parts))
    if isinstance(condition, Either):
        return all(map(_shows_an_arc, condition.parts))
    if isinstance(condition, Exists | Compared):
        return any(
            p.start is None and p.steps and not isinstance(p.steps[0], Where) for p in condition_paths(condition)
        )
    return False


def _along(so_far: Walk, triples: tuple[SchemaTriple, ...], index: ExtentIndex) -> Walk:
    return Walk(frozenset(t.target for t in triples), so_far.reads | index.of(triples))


def _back(so_far: Walk, triples: tuple[SchemaTriple, ...], index: ExtentIndex) -> Walk:
    return Walk(frozenset(t.source for t in triples), so_far.reads | index.of(triples))
