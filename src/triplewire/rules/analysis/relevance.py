"""Whether a part of a rule concerns a schema (section 3): e-, c- and a-relevance.

A network has one schema, and each super-peer a part of it. Rules are written against the whole, so their names are
already resolved; the question is what of them a part can see.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from triplewire.algebra.verdicts import Verdict
from triplewire.languages.rdftl.parts import parts
from triplewire.languages.rdftl.syntax import (
    AbortAction,
    Arc,
    Delta,
    Element,
    Let,
    NextElement,
    Node,
    ResourceAction,
    ResourceEvent,
    Rule,
    RuleAction,
    Source,
    Target,
    UpdatedArc,
    Variable,
)
from triplewire.rdf.terms import NamedNode
from triplewire.rules.analysis.footprints.arcs import node_classes
from triplewire.rules.analysis.footprints.events import event_footprint
from triplewire.rules.analysis.footprints.extents import Classes, ExtentIndex, is_membership, listed
from triplewire.rules.analysis.footprints.paths import Scope, known
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import MEMBERSHIP, RESOURCE, TYPE, is_datatype

_MOST_RULES = 16_384


def e_relevant(rule: Rule, schema: Schema) -> Verdict:
    """Whether each step of each path in the event exists in the schema."""
    return _all_there(event_needs(rule), schema, "its event needs")


@lru_cache(maxsize=_MOST_RULES)
def event_needs(rule: Rule) -> frozenset[NamedNode]:
    """The classes and properties that a schema must have for the rule to be e-relevant to it."""
    wanted = {*_steps(rule.event, rule.lets), *_arc_names(rule.event)}
    if isinstance(rule.event, ResourceEvent) and rule.event.of_class is not None:
        wanted.add(known(rule.event.of_class))
    return frozenset(wanted)


def c_relevant(rule: Rule, schema: Schema) -> Verdict:
    """Whether some step of some path in the condition exists in the schema."""
    steps = set(_steps(rule.condition, rule.lets))
    there = sorted(str(name) for name in steps if _has(schema, name))
    if there:
        return Verdict(True, f"its condition can be evaluated in part: the schema has {listed(there)}")
    if not steps:
        return Verdict(False, "its condition asks for no data")
    return Verdict(False, f"the schema has nothing of what its condition asks: {listed(steps)}")


def a_relevant(rule: Rule, schema: Schema, whole: Schema) -> Verdict:
    """Whether each action can be done in the schema; `whole` says what paths lead to."""
    return _all_there(_action_needs(rule, whole), schema, "its actions need")


@lru_cache(maxsize=_MOST_RULES)
def _action_needs(rule: Rule, whole: Schema) -> frozenset[NamedNode]:
    """The classes and properties that the actions have to find. Of every firing that is asked about many schemas."""
    index = _index_of(whole)
    scope = Scope.of(index, rule.lets)
    event = event_footprint(rule.event, scope, rule.lets)
    after = scope.on(event.delta, event.arc_names)
    return frozenset(name for action in rule.actions for name in _needed(action, after))


@lru_cache(maxsize=8)
def _index_of(schema: Schema) -> ExtentIndex:
    """Many rules are asked about against one schema."""
    return ExtentIndex(schema)


def _needed(action: RuleAction, scope: Scope) -> Iterator[NamedNode]:
    """The classes and properties that an action has to find."""
    if isinstance(action, AbortAction):
        return
    if isinstance(action, ResourceAction):
        by_path = node_classes(action.path, scope) if action.of_class is None else frozenset({known(action.of_class)})
        yield from _most_specific(by_path, scope)
        return
    for arc in action.arcs:
        names = _names(arc, scope)
        yield from names or ()
        if names is None:
            yield from (c for node in _ends(arc) for c in _most_specific(node_classes(node, scope), scope))


def _names(arc: Arc | UpdatedArc, scope: Scope) -> frozenset[NamedNode] | None:
    if isinstance(arc.name, Delta):
        return scope.arc_names
    return frozenset(_arc_names(arc)) or None


def _ends(arc: Arc | UpdatedArc) -> tuple[Node | None, ...]:
    return (arc.source, arc.target) if isinstance(arc, Arc) else (arc.source, arc.old, arc.new)


def _most_specific(classes: Classes, scope: Scope) -> frozenset[NamedNode]:
    """Without those that have another of them below; of a node that may be anything, rdfs:Resource."""
    if classes is None:
        return frozenset({RESOURCE})
    below = scope.index.schema.subclasses
    return frozenset(c for c in classes if not any(d != c and d in below(c) for d in classes))


def _steps(part: object, lets: Iterable[Let]) -> Iterator[NamedNode]:
    """The properties of all steps, with those of the variables that are used; elements count as memberships."""
    defined = {let.name: let.path for let in lets}
    for value in parts(part):
        if isinstance(value, Target | Source):
            yield known(value.arc)
        elif isinstance(value, Element):
            yield MEMBERSHIP
        elif isinstance(value, Variable):
            yield from _steps(defined[value.name], lets)


def _arc_names(part: object) -> Iterator[NamedNode]:
    for value in parts(part):
        if isinstance(value, Arc | UpdatedArc):
            if isinstance(value.name, NextElement):
                yield MEMBERSHIP
            elif isinstance(value.name, NamedNode):
                yield value.name


def _all_there(wanted: frozenset[NamedNode], schema: Schema, needs: str) -> Verdict:
    missing = sorted(str(name) for name in wanted if not _has(schema, name))
    if missing:
        return Verdict(False, f"{needs} {listed(missing)}, which the schema does not have")
    return Verdict(True, f"the schema has all that {needs}: {listed(wanted)}")


def _has(schema: Schema, name: NamedNode) -> bool:
    if is_membership(name):
        return bool(schema.containers)
    return name in (RESOURCE, TYPE) or is_datatype(name) or schema.is_class(name) or schema.is_property(name)
