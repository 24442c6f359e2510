"""Candidates: which rules an update may have triggered, asked of the matcher.

Each rule's event becomes a subscription over an event made of the changed triples: one pattern, with the constants
that the rule's event names. Inserted, deleted and updated arcs are three kinds of events with a matcher each. A rule
that waits for a path to lead somewhere is found by the arcs of the path as well, whatever the kind. Every rule that is
triggered is among the candidates; a path that is not a constant may let others through.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import Ask, Core, FastQuery
from triplewire.algebra.subscriptions import Subscription
from triplewire.languages.rdftl import syntax
from triplewire.languages.rdftl.syntax import ArcEvent, Change, ResourceEvent, Rule
from triplewire.matching import Matcher
from triplewire.rdf.terms import NamedNode, Triple
from triplewire.rules.execution.triggering.event_detection import EventOccurrences
from triplewire.rules.execution.triggering.reachability import ReachIndex
from triplewire.rules.paths import constant_of
from triplewire.rules.vocabulary import TYPE

_SOURCE, _NAME, _TARGET = Variable("source"), Variable("name"), Variable("target")
_IN_THE_EVENT = " <urn:triplewire:changes> .\n"


class Candidates:
    """Rules by what may trigger them."""

    def __init__(self) -> None:
        self._inserted, self._deleted, self._updated = TriggerIndex(), TriggerIndex(), TriggerIndex()
        self._reached = ReachIndex()

    def add(self, rule: Rule) -> None:
        """Index the rule by its event. Its names must be resolved."""
        self._index_of(rule).add(rule)
        self._reached.add(rule)

    def remove(self, rule: Rule) -> None:
        """Forget the rule."""
        self._index_of(rule).remove(rule)
        self._reached.remove(rule)

    def of(self, occurrences: EventOccurrences) -> list[str]:
        """The identifiers of the rules that may be triggered."""
        return self._by_kind(occurrences) + self._reached.of(occurrences.changes)

    def _by_kind(self, occurrences: EventOccurrences) -> list[str]:
        if not occurrences.updated:
            inserted = self._inserted.matching(occurrences.inserted)
            return inserted + self._deleted.matching(occurrences.deleted)
        # An update of arcs inserts and deletes none, but it may give and take classes.
        return [
            *self._inserted.matching(occurrences.classes(Change.INSERT)),
            *self._deleted.matching(occurrences.classes(Change.DELETE)),
            *self._updated.matching(Triple(arc.source, arc.name, arc.new) for arc in occurrences.updated),
        ]

    def settle(self) -> None:
        """Make matching as fast as it gets. Nobody has to."""
        for index in (self._inserted, self._deleted, self._updated):
            index.matcher.settle()

    def _index_of(self, rule: Rule) -> TriggerIndex:
        if isinstance(rule.event, ResourceEvent | ArcEvent):
            return self._inserted if rule.event.change is Change.INSERT else self._deleted
        return self._updated


class TriggerIndex:
    """The rules that one kind of event may trigger.

    Most of what rules do triggers no rule: a count of the arcs' names that rules mention says so at once.
    """

    def __init__(self) -> None:
        self.matcher = Matcher()
        self._names: Counter[PatternTerm] = Counter()

    def add(self, rule: Rule) -> None:
        self.matcher.add(_subscription(rule))
        self._names[pattern_of(rule).predicate] += 1

    def remove(self, rule: Rule) -> None:
        self.matcher.remove(rule.id)
        self._names[pattern_of(rule).predicate] -= 1

    def matching(self, triples: Iterable[Triple]) -> list[str]:
        """The identifiers of the rules for which one of the triples may be the event."""
        relevant = triples if self._names[_NAME] else [t for t in triples if self._names[t.predicate]]
        data = "".join([f"{triple}{_IN_THE_EVENT}" for triple in relevant])
        return self.matcher.match_nquads(data.encode()).subscription_ids if data else []


def _subscription(rule: Rule) -> Subscription:
    pattern = pattern_of(rule)
    return Subscription(rule.id, "sparql", f"ASK {{ {pattern} }}", FastQuery(Ask(), Core((pattern,))))


def pattern_of(rule: Rule) -> Pattern:
    """What a triple is like that may be the rule's event: the constants that the event names, and variables."""
    event, lets = rule.event, rule.lets
    match event:
        case ResourceEvent(_, path, of_class):
            return Pattern(constant_of(path, lets) or _SOURCE, TYPE, _iri(of_class) or _TARGET)
        case ArcEvent(_, arc):
            source, name, target = arc.source, arc.name, arc.target
        case syntax.UpdateEvent(updated):
            source, name, target = updated.source, updated.name, updated.new
    return Pattern(constant_of(source, lets) or _SOURCE, _iri(name) or _NAME, constant_of(target, lets) or _TARGET)


def _iri(name: object) -> PatternTerm | None:
    return name if isinstance(name, NamedNode) else None
