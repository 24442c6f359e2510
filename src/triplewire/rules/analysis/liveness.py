"""Rules that can never fire: whatever a repository of this schema holds, their event or condition cannot happen."""

from __future__ import annotations

from triplewire.languages.rdftl.syntax import (
    Always,
    Both,
    Compared,
    Comparison,
    Condition,
    Either,
    Exists,
    Never,
    Not,
    Path,
    ResourceEvent,
    Rule,
)
from triplewire.rules.analysis.footprints.arcs import node_classes
from triplewire.rules.analysis.footprints.events import event_footprint
from triplewire.rules.analysis.footprints.extents import NOTHING, ExtentIndex, all_literals, no_literals
from triplewire.rules.analysis.footprints.paths import Scope, walk


def never_fires(rule: Rule, index: ExtentIndex) -> str | None:
    """Why the rule can never fire, in one sentence; None if it may."""
    scope = Scope.of(index, rule.lets)
    event = event_footprint(rule.event, scope, rule.lets)
    if isinstance(rule.event, ResourceEvent) and _leads_nowhere(rule.event.path, scope):
        return "the path of its event leads nowhere in this schema"
    if event.extents == NOTHING:
        return "no triple of this schema is what its event waits for"
    if truth(rule.condition, scope.on(event.delta, event.arc_names)) is False:
        return "its condition cannot hold in this schema"
    return None


def truth(condition: Condition, scope: Scope) -> bool | None:
    """Whether a condition holds in every repository of the schema, in none, or in some."""
    if isinstance(condition, Always | Never):
        return isinstance(condition, Always)
    if isinstance(condition, Exists):
        return False if _leads_nowhere(condition.path, scope) else None
    if isinstance(condition, Compared):
        return False if _never_meet(condition, scope) else None
    if isinstance(condition, Not):
        held = truth(condition.part, scope)
        return None if held is None else not held
    return _of_parts(condition, scope)


def _of_parts(condition: Both | Either, scope: Scope) -> bool | None:
    parts = {truth(part, scope) for part in condition.parts}
    decisive = isinstance(condition, Either)
    if decisive in parts:
        return decisive
    return None if None in parts else not decisive


def _never_meet(condition: Compared, scope: Scope) -> bool:
    if _leads_nowhere(condition.left, scope):
        return True
    if isinstance(condition.right, Path) and _leads_nowhere(condition.right, scope):
        return True
    left, right = node_classes(condition.left, scope), node_classes(condition.right, scope)
    kinds_differ = (all_literals(left) and no_literals(right)) or (no_literals(left) and all_literals(right))
    return kinds_differ and condition.comparison is Comparison.EQUAL


def _leads_nowhere(path: Path, scope: Scope) -> bool:
    return walk(path, scope).classes == frozenset()
