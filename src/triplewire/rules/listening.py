"""Rules that listen to published events as well: for which triples, and since when.

An event's triples count as inserted, with all that follows from them, so a rule that waits for learning objects hears
of a book. As with updates, a path in a rule's event that is not a constant stands for anything here.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from triplewire.errors import InputError
from triplewire.languages.rdftl.syntax import ArcEvent, Change, ResourceEvent, Rule
from triplewire.rdf.terms import NamedNode, Triple
from triplewire.rules.ambient import TYPE
from triplewire.rules.closure import Closure
from triplewire.rules.execution.candidates import Listeners
from triplewire.rules.literals import triple_as_kept
from triplewire.rules.schema import Schema


class Hears(StrEnum):
    """What may trigger a rule: updates of the repository only, or published events as well."""

    UPDATES = "updates"
    EVENTS = "events"


class Listening:
    """The rules that listen to events, each since a position of the log."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._closure = Closure(schema)
        self._listeners = Listeners()
        self._rules: dict[str, tuple[Rule, int]] = {}

    def put(self, rule: Rule, since: int | None) -> None:
        """Listen for a rule, whose names must be resolved; None: no longer."""
        self.remove(rule.id)
        if since is not None:
            self._listeners.add(rule)
            self._rules[rule.id] = (rule, since)

    def remove(self, rule: str) -> None:
        """Listen no longer; for a rule that did not is fine."""
        known = self._rules.pop(rule, None)
        if known is not None:
            self._listeners.remove(known[0])

    def since(self, rule: str) -> int | None:
        """The position after which a rule listens, if it does."""
        known = self._rules.get(rule)
        return None if known is None else known[1]

    @property
    def earliest(self) -> int | None:
        """The first of these positions."""
        return min((since for _, since in self._rules.values()), default=None)

    def hearing(self, triples: Iterable[Triple], position: int) -> list[str]:
        """The rules that an event with these triples, at that position, may trigger."""
        if not self._rules:
            return []
        known = (triple_as_kept(triple) for triple in triples if self._is_known(triple))
        closed = (each for triple in known for each in self._closure.follows_from(triple))
        return [rule for rule in self._listeners.matching(dict.fromkeys(closed)) if self._rules[rule][1] < position]

    def __len__(self) -> int:
        return len(self._rules)

    def _is_known(self, triple: Triple) -> bool:
        """Whether the schema has a word for it; nothing else can trigger a rule."""
        if triple.predicate == TYPE:
            return isinstance(triple.object, NamedNode) and self._schema.is_class(triple.object)
        return self._schema.is_property(triple.predicate)


def require_insertion(rule: Rule) -> None:
    """Raise `InputError` unless the rule waits for something to be inserted, which is all that an event can do."""
    event = rule.event
    if not isinstance(event, ResourceEvent | ArcEvent) or event.change is not Change.INSERT:
        raise InputError(
            f"wanted a rule ON INSERT to listen to events, found {rule.id!r}, which waits for another change"
        )
