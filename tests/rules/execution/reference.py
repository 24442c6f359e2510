"""A plain interpreter of rules: every state is kept whole, every rule is asked about every change, nothing aborts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from triplewire.languages.rdftl.parts import uses_delta
from triplewire.languages.rdftl.syntax import (
    AbortAction,
    ArcEvent,
    Change,
    Component,
    Coupling,
    Event,
    Let,
    ResourceEvent,
    Rule,
    RuleAction,
    Update,
)
from triplewire.rdf.terms import NamedNode, Term, Triple
from triplewire.rules.execution.actions import Planner
from triplewire.rules.execution.triggering.event_detection import Detection, EventOccurrences
from triplewire.rules.name_resolution import resolved, resolved_update
from triplewire.rules.paths import DeltaTerms, Evaluation
from triplewire.rules.repository import Repository
from triplewire.rules.vocabulary import TYPE

Firing = tuple[Rule, DeltaTerms | None]


class Snapshot:
    """A state as a set of triples."""

    def __init__(self, triples: Set[Triple]) -> None:
        self.triples = frozenset(triples)

    def match(self, subject: Term | None, predicate: NamedNode | None, target: Term | None) -> Iterator[Triple]:
        wanted = (subject, predicate, target)
        return (t for t in self.triples if all(w in (None, f) for w, f in zip(wanted, t, strict=True)))

    def is_asserted(self, triple: Triple) -> bool:
        raise NotImplementedError

    def last_element(self, container: Term) -> int:
        raise NotImplementedError


class Transaction:
    def __init__(self, left: int) -> None:
        self.left = left
        self.steps: list[tuple[Snapshot, Snapshot]] = []
        self.waiting: list[tuple[Rule, list[DeltaTerms]]] = []


class Reference:
    """`fired` are the firings in the order in which they came onto the schedule."""

    def __init__(self, repository: Repository, rules: Sequence[Rule]) -> None:
        self.repository = repository
        self.rules = [resolved(rule, repository.schema) for rule in rules]
        self.fired: list[Firing] = []
        self.detached: list[Firing] = []

    def run(self, schedule: Sequence[Update]) -> None:
        counts = Counter(update.transaction for update in schedule)
        running: dict[str, Transaction] = {}
        for update in (resolved_update(update, self.repository.schema) for update in schedule):
            transaction = running.setdefault(update.transaction, Transaction(counts[update.transaction]))
            self.act(transaction, update.action, update.lets, None)
            transaction.left -= 1
            if not transaction.left:
                self.end(transaction)
        while self.detached:
            transaction = Transaction(0)
            self.do(transaction, self.detached.pop(0))
            self.end(transaction)

    def act(
        self, transaction: Transaction, action: RuleAction, lets: tuple[Let, ...], delta: DeltaTerms | None
    ) -> None:
        assert not isinstance(action, AbortAction)
        was = Snapshot(set(self.repository))
        plan = Planner(self.repository, self.repository.schema, lets, delta).plan(action)
        changes = self.repository.apply(plan.edits)
        now = Snapshot(set(self.repository))
        transaction.steps.append((was, now))
        occurrences = EventOccurrences.by(changes, plan.moved, self.repository.schema)
        firings: list[Firing] = []
        for rule in self.rules:
            deltas = Detection(occurrences, now, was).deltas(rule.event, rule.lets)
            if rule.coupling is not Coupling.DEFERRED:
                firings += holding(rule, deltas, now, was)
            elif deltas:
                transaction.waiting.append((rule, deltas))
        ordered = self.ordered(firings)
        self.fired += ordered
        self.detached += [firing for firing in ordered if firing[0].coupling is Coupling.DETACHED]
        for firing in ordered:
            if firing[0].coupling is Coupling.IMMEDIATE:
                self.do(transaction, firing)

    def do(self, transaction: Transaction, firing: Firing) -> None:
        rule, delta = firing
        for action in rule.actions:
            self.act(transaction, action, rule.lets, delta)

    def end(self, transaction: Transaction) -> None:
        while transaction.waiting:
            batch, transaction.waiting = transaction.waiting, []
            now = Snapshot(set(self.repository))
            begin = without(now, transaction.steps)
            firings: list[Firing] = []
            for place, (rule, deltas) in enumerate(batch):
                later = [delta for other, more in batch[place + 1 :] if other is rule for delta in more]
                standing = [d for d in deltas if d not in later and stands(rule.event, d, now, begin)]
                firings += holding(rule, standing, now, begin)
            ordered = self.ordered(firings)
            self.fired += ordered
            for firing in ordered:
                self.do(transaction, firing)

    def ordered(self, firings: list[Firing]) -> list[Firing]:
        """Those of preceding rules first; those of one rule together where any rule precedes another."""
        rules = list(dict.fromkeys(rule.id for rule, _ in firings))
        if not any(self.precedes(one, other) for one in rules for other in rules):
            return firings
        found: list[Firing] = []
        while rules:
            first = next(rule for rule in rules if not any(self.precedes(other, rule) for other in rules))
            rules.remove(first)
            found += [firing for firing in firings if firing[0].id == first]
        return found

    def precedes(self, one: str, other: str) -> bool:
        known = {rule.id: rule.precedes for rule in self.rules}
        return any(next_ == other or self.precedes(next_, other) for next_ in known.get(one, ()))


def holding(rule: Rule, deltas: Sequence[DeltaTerms], now: Snapshot, before: Snapshot) -> list[Firing]:
    if not uses_delta((rule.condition, rule.actions)):
        return [(rule, None)] if deltas and Evaluation(now, rule.lets).holds(rule.condition) else []
    then = before if isinstance(rule.event, ResourceEvent) and rule.event.change is Change.DELETE else None
    return [(rule, delta) for delta in deltas if Evaluation(now, rule.lets, delta, then).holds(rule.condition)]


def without(now: Snapshot, steps: Sequence[tuple[Snapshot, Snapshot]]) -> Snapshot:
    """A state without what one transaction has changed."""
    new: set[Triple] = set()
    gone: set[Triple] = set()
    for was, then in steps:
        for triple in was.triples - then.triples:
            new.discard(triple) if triple in new else gone.add(triple)
        for triple in then.triples - was.triples:
            gone.discard(triple) if triple in gone else new.add(triple)
    return Snapshot((now.triples - new) | gone)


def stands(event: Event, delta: DeltaTerms, now: Snapshot, begin: Snapshot) -> bool:
    """Whether the event is still told by what the transaction comes to."""
    new, gone = now.triples - begin.triples, begin.triples - now.triples
    if isinstance(event, ResourceEvent):
        there, elsewhere = (now, begin) if event.change is Change.INSERT else (begin, now)
        return _classes(delta, there, event) and not _classes(delta, elsewhere, event)
    if isinstance(event, ArcEvent):
        return _arc(delta, Component.TARGET) in (new if event.change is Change.INSERT else gone)
    arc = _arc(delta, Component.NEW_TARGET)
    return arc in new or (arc in now.triples and _arc(delta, Component.OLD_TARGET) in gone)


def _classes(delta: DeltaTerms, state: Snapshot, event: ResourceEvent) -> bool:
    wanted = event.of_class
    return any(
        t.subject == delta[Component.WHOLE] and t.predicate == TYPE and wanted in (None, t.object)
        for t in state.triples
    )


def _arc(delta: DeltaTerms, target: Component) -> Triple:
    return Triple(delta[Component.SOURCE], delta[Component.ARC_NAME], delta[target])  # type: ignore[arg-type]
