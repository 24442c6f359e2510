"""Pitfalls: rules that do what they say, and hardly what was meant."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from triplewire.languages.rdftl.parts import parts
from triplewire.languages.rdftl.syntax import (
    Abort,
    AbortAction,
    Change,
    Component,
    Condition,
    Coupling,
    Delta,
    Path,
    ResourceEvent,
    Rule,
    Source,
    Step,
    Target,
    Where,
)
from triplewire.rdf.terms import NamedNode
from triplewire.rules.analysis.footprints.extents import Classes, ExtentIndex, listed
from triplewire.rules.analysis.footprints.paths import known
from triplewire.rules.execution.triggering.reachability import arc_names
from triplewire.rules.vocabulary import MEMBERSHIP, TYPE


class Pitfall(Struct, frozen=True):
    """What is probably not meant: in a word or two, and in a sentence."""

    rule: str
    kind: str
    reason: str


def pitfalls(rule: Rule, index: ExtentIndex) -> Iterator[Pitfall]:
    """Every pitfall of a rule whose names are resolved."""
    early = set(_read_too_early(rule, index))
    if early:
        reason = (
            f"its condition reads {listed(early)} of a resource right after this was inserted, and a transaction often "
            "writes that in a later update: COUPLING DEFERRED looks at it when the transaction has come to its end"
        )
        yield Pitfall(rule.id, "looks early", reason)
    if rule.abort in (Abort.INDEPENDENT, Abort.PARENT_CHILD) and any(isinstance(a, AbortAction) for a in rule.actions):
        reason = f"it aborts on purpose, and with ABORT {rule.abort.value} nothing else aborts with it"
        yield Pitfall(rule.id, "aborts alone", reason)


def _read_too_early(rule: Rule, index: ExtentIndex) -> Iterator[NamedNode]:
    """The properties of a new resource that the condition reads; those that its event waits for are there."""
    event = rule.event
    if not isinstance(event, ResourceEvent) or event.change is not Change.INSERT:
        return
    if rule.coupling is Coupling.DEFERRED:
        return
    classes: Classes = None if event.of_class is None else frozenset({known(event.of_class)})
    awaited = arc_names(event.path, rule.lets).coming
    for path in _paths_from_delta(rule.condition):
        for step in _first_arcs(path.steps):
            name = known(step.arc) if isinstance(step, Target | Source) else MEMBERSHIP
            if name != TYPE and name not in awaited and _may_have(classes, step, name, index):
                yield name


def _paths_from_delta(condition: Condition) -> Iterator[Path]:
    whole = Delta(Component.WHOLE)
    return (part for part in parts(condition) if isinstance(part, Path) and part.start == whole)


def _first_arcs(steps: tuple[Step, ...]) -> Iterator[Step]:
    """The first arcs of a path, and those that its qualifiers ask for before."""
    for step in steps:
        if not isinstance(step, Where):
            yield step
            return
        for path in _relative_paths(step.condition):
            yield from _first_arcs(path.steps)


def _relative_paths(condition: Condition) -> Iterator[Path]:
    return (part for part in parts(condition) if isinstance(part, Path) and part.start is None)


def _may_have(classes: Classes, step: Step, name: NamedNode, index: ExtentIndex) -> bool:
    triples = index.with_property(name)
    return any(index.may_be(classes, t.target if isinstance(step, Source) else t.source) for t in triples)
