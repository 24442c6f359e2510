"""Names: a bare name becomes the one class or property of the schema that has it; a whole one has to be known.

Without a schema a whole name is taken as it is, and a bare one is not known.
The local name of an IRI is what follows its last `#`, `/` or `:`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import TypeVar

from msgspec.structs import replace

from triplewire.errors import UnknownName
from triplewire.languages.rdftl.syntax import (
    AbortAction,
    Action,
    Arc,
    ArcAction,
    ArcEvent,
    BareName,
    Both,
    Compared,
    Condition,
    Either,
    Event,
    Exists,
    Let,
    Name,
    Not,
    Path,
    ResourceAction,
    Rule,
    RuleAction,
    Source,
    Step,
    Target,
    Update,
    UpdateAction,
    UpdatedArc,
    UpdateEvent,
    Where,
)
from triplewire.rdf.terms import NamedNode
from triplewire.rules.schema import Schema

_BEFORE_LOCAL = re.compile(r".*[#/:]", re.DOTALL)
_NEAREST = 3
_Node = TypeVar("_Node")


def local_name(iri: NamedNode) -> str:
    """What follows the last `#`, `/` or `:`.

    >>> local_name(NamedNode("http://purl.org/dc/elements/1.1/title"))
    'title'
    """
    return _BEFORE_LOCAL.sub("", iri.value)


def resolve_class(name: Name, schema: Schema) -> NamedNode:
    """The class that a name means, or `UnknownName`."""
    if isinstance(name, NamedNode):
        return name if schema.is_empty or schema.is_class(name) else _unknown("class", name, schema.classes)
    return _the_one("class", name, schema.classes)


def resolve_property(name: Name, schema: Schema) -> NamedNode:
    """The property that a name means, or `UnknownName`."""
    if isinstance(name, NamedNode):
        return name if schema.is_empty or schema.is_property(name) else _unknown("property", name, schema.properties)
    return _the_one("property", name, schema.properties)


def resolved(rule: Rule, schema: Schema) -> Rule:
    """The rule with every class and property as an IRI of the schema."""
    names = _Names(schema)
    return replace(
        rule,
        event=names.event(rule.event),
        condition=names.condition(rule.condition),
        actions=tuple(names.rule_action(action) for action in rule.actions),
        lets=names.lets(rule.lets),
    )


def resolved_update(update: Update, schema: Schema) -> Update:
    """The update with every class and property as an IRI of the schema."""
    names = _Names(schema)
    return replace(update, action=names.action(update.action), lets=names.lets(update.lets))


class _Names:
    """Rebuilds each part of a rule with the names of one schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def lets(self, lets: Iterable[Let]) -> tuple[Let, ...]:
        return tuple(replace(let, path=self._path(let.path)) for let in lets)

    def event(self, event: Event) -> Event:
        if isinstance(event, ArcEvent):
            return replace(event, arc=self._arc(event.arc))
        if isinstance(event, UpdateEvent):
            return replace(event, arc=self._updated(event.arc))
        return replace(event, path=self._path(event.path), of_class=self._class(event.of_class))

    def rule_action(self, action: RuleAction) -> RuleAction:
        return action if isinstance(action, AbortAction) else self.action(action)

    def action(self, action: Action) -> Action:
        if isinstance(action, ResourceAction):
            return replace(action, path=self._path(action.path), of_class=self._class(action.of_class))
        if isinstance(action, ArcAction):
            return replace(action, arcs=tuple(self._arc(arc) for arc in action.arcs))
        assert isinstance(action, UpdateAction)
        return replace(action, arcs=tuple(self._updated(arc) for arc in action.arcs))

    def condition(self, condition: Condition) -> Condition:
        if isinstance(condition, Exists):
            return replace(condition, path=self._path(condition.path))
        if isinstance(condition, Compared):
            return replace(condition, left=self._path(condition.left), right=self._node(condition.right))
        if isinstance(condition, Both | Either):
            return replace(condition, parts=tuple(self.condition(part) for part in condition.parts))
        if isinstance(condition, Not):
            return replace(condition, part=self.condition(condition.part))
        return condition

    def _arc(self, arc: Arc) -> Arc:
        return replace(arc, source=self._node(arc.source), name=self._property(arc.name), target=self._node(arc.target))

    def _updated(self, arc: UpdatedArc) -> UpdatedArc:
        name = self._property(arc.name)
        return replace(arc, source=self._node(arc.source), name=name, old=self._node(arc.old), new=self._node(arc.new))

    def _node(self, node: _Node | Path) -> _Node | Path:
        return self._path(node) if isinstance(node, Path) else node

    def _path(self, path: Path) -> Path:
        return replace(path, steps=tuple(self._step(step) for step in path.steps))

    def _step(self, step: Step) -> Step:
        if isinstance(step, Target | Source):
            return replace(step, arc=resolve_property(step.arc, self._schema))
        if isinstance(step, Where):
            return replace(step, condition=self.condition(step.condition))
        return step

    def _class(self, name: Name | None) -> NamedNode | None:
        return None if name is None else resolve_class(name, self._schema)

    def _property(self, name: _Node) -> _Node | NamedNode:
        return resolve_property(name, self._schema) if isinstance(name, NamedNode | BareName) else name


def _the_one(kind: str, name: BareName, known: Iterable[NamedNode]) -> NamedNode:
    known = sorted(known, key=lambda iri: iri.value)
    found = [iri for iri in known if local_name(iri) == name.local]
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownName(kind, name.local, tuple(iri.value for iri in found), ambiguous=len(found))
    raise UnknownName(kind, name.local, _nearest(name.local, known))


def _unknown(kind: str, name: NamedNode, known: Iterable[NamedNode]) -> NamedNode:
    raise UnknownName(kind, name.value, _nearest(local_name(name), known))


def _nearest(local: str, known: Iterable[NamedNode]) -> tuple[str, ...]:
    by_local: dict[str, list[str]] = {}
    for iri in sorted(known, key=lambda iri: iri.value):
        by_local.setdefault(local_name(iri), []).append(iri.value)
    # Upper and lower case is what people mix up most.
    folded = {name.lower(): name for name in by_local}
    close = difflib.get_close_matches(local.lower(), folded, n=_NEAREST, cutoff=0.6)
    return tuple(iri for name in close for iri in by_local[folded[name]])
