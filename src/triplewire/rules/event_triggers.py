"""Event triggers: the rules that published events trigger as well, for which triples, and since when.

An event's triples count as inserted, with all that follows from them, so a book triggers a rule that waits for learning
objects; and so do arcs on the path of a rule that waits for it to lead somewhere. As with updates, a path in a rule's
event that is not a constant stands for anything here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.errors import InputError
from triplewire.languages.rdftl.syntax import ArcEvent, Change, ResourceEvent, Rule
from triplewire.rdf.terms import Literal, NamedNode, Triple
from triplewire.rules.closure import Closure
from triplewire.rules.execution.triggering.candidates import TriggerIndex, pattern_of
from triplewire.rules.execution.triggering.reachability import ReachIndex, arc_names, is_reached
from triplewire.rules.literals import as_written, triple_as_kept
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE

_SOURCE, _NAME, _TARGET = Variable("source"), Variable("name"), Variable("target")
# With more than so many below it, a class or property is not distinguished from others where events are published.
_MOST_CLASSES = 500
_MOST_NAMES = 50


class TriggeredBy(StrEnum):
    """What may trigger a rule: updates of the repository only, or published events as well."""

    UPDATES = "updates"
    EVENTS = "events"


class EventTriggers:
    """The rules that events trigger, each since a position of the log."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._closure = Closure(schema)
        self._listeners = TriggerIndex()
        self._reached = ReachIndex()
        self._rules: dict[str, tuple[Rule, int]] = {}
        # Never changed, only replaced: it is read from other threads.
        self.interests: Mapping[str, tuple[str, ...]] = {}

    def put(self, rule: Rule, since: int | None) -> None:
        """Let events after a position trigger a rule, whose names must be resolved; None: no longer."""
        self.remove(rule.id)
        if since is not None:
            self._listeners.add(rule)
            self._reached.add(rule)
            self._rules[rule.id] = (rule, since)
            self.interests = {**self.interests, rule.id: interests_of(rule, self._schema)}

    def remove(self, rule: str) -> None:
        """Let events trigger a rule no longer; one that they did not is fine."""
        known = self._rules.pop(rule, None)
        if known is not None:
            self._listeners.remove(known[0])
            self._reached.remove(known[0])
            self.interests = {name: texts for name, texts in self.interests.items() if name != rule}

    def since(self, rule: str) -> int | None:
        """The position after which events trigger a rule, if they do."""
        known = self._rules.get(rule)
        return None if known is None else known[1]

    @property
    def earliest(self) -> int | None:
        """The first of these positions."""
        return min((since for _, since in self._rules.values()), default=None)

    def triggered(self, triples: Iterable[Triple], position: int) -> list[str]:
        """The rules that an event with these triples, at that position, may trigger."""
        if not self._rules:
            return []
        # Nothing else can trigger a rule.
        known = (triple_as_kept(triple) for triple in triples if self._schema.knows(triple))
        closed = dict.fromkeys(each for triple in known for each in self._closure.follows_from(triple))
        found = dict.fromkeys((*self._listeners.matching(closed), *self._reached.coming(closed)))
        return [rule for rule in found if self._rules[rule][1] < position]

    def __len__(self) -> int:
        return len(self._rules)


def require_insertion(rule: Rule) -> None:
    """Raise `InputError` unless the rule waits for something to be inserted, which is all that an event can do."""
    event = rule.event
    if not isinstance(event, ResourceEvent | ArcEvent) or event.change is not Change.INSERT:
        raise InputError(
            wanted="a rule ON INSERT to listen to events", found=f"{rule.id!r}, which waits for another change"
        )


def interests_of(rule: Rule, schema: Schema) -> tuple[str, ...]:
    """What to subscribe to, in SPARQL, where events are published that may trigger the rule: any of these matches each.

    Whoever matches them elsewhere knows nothing of this schema, so they name every class and property below.

    >>> from triplewire.languages.rdftl import parse_rule
    >>> rule = parse_rule("ON INSERT (_, <urn:p>, 'x') IF True DO DELETE (_, <urn:p>, 'x')", id="r")
    >>> interests_of(rule, Schema(()))
    ('ASK { ?source <urn:p> "x" }',)
    """
    pattern = pattern_of(rule)
    source, name, target = pattern
    if isinstance(target, Literal) and not as_written(target):
        target = _TARGET  # It has other spellings.
    if name == TYPE:
        return (_of_classes(source, target, schema), *_on_the_way(rule, schema))
    return tuple(f"ASK {{ {Pattern(source, each, target)} }}" for each in _below(name, schema))


def _below(name: PatternTerm | None, schema: Schema) -> Iterable[PatternTerm]:
    names = sorted(schema.subproperties(name), key=str) if isinstance(name, NamedNode) else []
    return names if 0 < len(names) <= _MOST_NAMES else [_NAME]


def _on_the_way(rule: Rule, schema: Schema) -> list[str]:
    """Arcs that may make the path of the rule's event lead somewhere."""
    if not isinstance(rule.event, ResourceEvent) or not is_reached(rule.event, rule.lets):
        return []
    names = arc_names(rule.event.path, rule.lets).coming
    below = dict.fromkeys(each for name in sorted(names, key=str) for each in _below(name, schema))
    # An arc of any name is all the rest as well.
    wanted = [_NAME] if _NAME in below or len(below) > _MOST_NAMES else below
    return [f"ASK {{ {Pattern(_SOURCE, each, _TARGET)} }}" for each in wanted]


def _of_classes(source: PatternTerm, cls: PatternTerm, schema: Schema) -> str:
    below = sorted(map(str, schema.subclasses(cls))) if isinstance(cls, NamedNode) else []
    if len(below) == 1:
        return f"ASK {{ {Pattern(source, TYPE, cls)} }}"
    limited = f" FILTER({_TARGET} IN ({', '.join(below)}))" if 0 < len(below) <= _MOST_CLASSES else ""
    return f"ASK {{ {Pattern(source, TYPE, _TARGET)}{limited} }}"
