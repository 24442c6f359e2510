"""Rules over events, in order, as a node's rules that listen: what would have fired, and what would have changed.

An event that may trigger a rule becomes one transaction that inserts its triples, if they conform to the schema; the
rules that it triggers fire, and those that these trigger. All else is passed over. What goes wrong with an event is
told, and the next one comes. Nothing outside the replay changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from triplewire.errors import TriplewireError
from triplewire.languages.rdftl.syntax import ArcEvent, Change, ResourceEvent, Rule
from triplewire.rdf.events import Event
from triplewire.rdf.terms import Triple
from triplewire.rules.analysis import Analysis
from triplewire.rules.changes import Edits, NetChanges
from triplewire.rules.commutativity import by_analysis
from triplewire.rules.event_triggers import EventTriggers
from triplewire.rules.event_updates import insertion
from triplewire.rules.execution import Limits, Rulebook, Runner, TraceEntry
from triplewire.rules.execution.publication import DELETED, INSERTED
from triplewire.rules.repository import Repository
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE

# As on a node, where nothing else is written meanwhile.
LIMITS = Limits(updates=10_000, edits=20_000, seconds=2.0)
_ALWAYS = 0


class Unit(Struct, frozen=True):
    """A transaction of an event, or the firing of a rule because of it. `cause` is what triggered the rule.

    `order` counts the units of a replay. What was undone has an error, and changed nothing.
    """

    order: int
    event: str
    rule: str | None
    cause: str | None
    depth: int
    status: str
    error: str | None
    inserted: tuple[str, ...]
    deleted: tuple[str, ...]


class EventFilter:
    """Tells which events may trigger a rule, whatever the repository holds."""

    def __init__(self, schema: Schema, rules: Iterable[Rule]) -> None:
        self._triggers = EventTriggers(schema)
        for rule in rules:
            if listens(rule):
                self._triggers.put(rule, _ALWAYS)

    def takes(self, event: Event) -> bool:
        """Whether a rule may be triggered. What describes changes of a repository has happened there."""
        return not describes_changes(event) and bool(self._triggers.triggered(event.triples, _ALWAYS + 1))


def listens(rule: Rule) -> bool:
    """Whether a published event can trigger a rule: an event inserts."""
    return isinstance(rule.event, ResourceEvent | ArcEvent) and rule.event.change is Change.INSERT


def describes_changes(event: Event) -> bool:
    """Whether an event tells of changes of some repository."""
    return any(Triple(event.graph, TYPE, kind) in event.triples for kind in (INSERTED, DELETED))


class RuleReplay:
    """A repository, and the rules over it. `net` is what has changed in all."""

    def __init__(self, schema: Schema, rules: Sequence[Rule], data: Iterable[Triple] = ()) -> None:
        repository = Repository(schema)
        repository.load(data)
        book = Rulebook(schema, rules)
        self._runner = Runner(repository, book, limits=LIMITS, commutes=by_analysis(Analysis(rules, schema)))
        self._count = 0
        self._net = NetChanges()

    @property
    def net(self) -> Edits:
        """What is asserted now and was not, and the other way round."""
        return self._net.changes.edits

    def play(self, event: Event) -> Iterator[Unit]:
        """Apply an event; what came of it, in order."""
        try:
            outcome = self._runner.run([insertion(event, event.triples)])
        except TriplewireError as problem:
            yield self._unit(event, None, None, 0, "refused", str(problem), Edits())
            return
        self._net.include(outcome.changes)
        known = {entry.number: entry for entry in outcome.entries}
        for entry in outcome.entries:
            edits = _edits(entry)
            error = None if entry.error is None else str(entry.error)
            cause = None if entry.cause is None else known[entry.cause].rule or event.graph.value
            yield self._unit(event, entry.rule, cause, entry.depth, entry.status.value, error, edits)

    def _unit(
        self,
        event: Event,
        rule: str | None,
        cause: str | None,
        depth: int,
        status: str,
        error: str | None,
        edits: Edits,
    ) -> Unit:
        self._count += 1
        inserted, deleted = (tuple(f"{triple} ." for triple in triples) for triples in (edits.inserted, edits.deleted))
        return Unit(self._count, event.graph.value, rule, cause, depth, status, error, inserted, deleted)


def _edits(entry: TraceEntry) -> Edits:
    """What a unit changed; nothing of what was undone."""
    if entry.error is not None:
        return Edits()
    net = NetChanges()
    for action in entry.actions:
        net.include(action.changes)
    return net.changes.edits
