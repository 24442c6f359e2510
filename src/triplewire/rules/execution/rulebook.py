"""The rules that are registered: their names resolved, their order known, indexed by their events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from triplewire.errors import DuplicateRule, UnknownRule
from triplewire.languages.rdftl.parts import uses_delta
from triplewire.languages.rdftl.syntax import Rule
from triplewire.rules.execution.triggering.candidates import Candidates
from triplewire.rules.execution.triggering.event_detection import EventOccurrences
from triplewire.rules.name_resolution import resolved
from triplewire.rules.precedence import Precedence
from triplewire.rules.schema import Schema


class ResolvedRule(Struct, frozen=True):
    """A rule with its names resolved. Rules are numbered as they are registered."""

    rule: Rule
    number: int
    is_set_oriented: bool


class Rulebook:
    """Rules over one schema."""

    def __init__(self, schema: Schema, rules: Iterable[Rule] = ()) -> None:
        self.schema = schema
        self.precedence = Precedence()
        self._candidates = Candidates()
        self._registered: dict[str, ResolvedRule] = {}
        self._count = 0
        for rule in rules:
            self.add(rule)

    def add(self, rule: Rule) -> Rule:
        """Register a rule; the same again changes nothing. Gives it back with its names resolved."""
        whole = resolved(rule, self.schema)
        known = self._registered.get(rule.id)
        if known is not None:
            if known.rule != whole:
                raise DuplicateRule(f"the rule {rule.id!r} is taken by another one")
            return known.rule
        self.precedence.add(whole)
        self._candidates.add(whole)
        self._count += 1
        self._registered[rule.id] = ResolvedRule(whole, self._count, is_set_oriented(whole))
        return whole

    def remove(self, rule: str) -> None:
        """Forget a rule."""
        known = self[rule]
        self._candidates.remove(known.rule)
        self.precedence.remove(rule)
        del self._registered[rule]

    def replace(self, rule: Rule) -> Rule:
        """Register a rule in the place of the one of that name, if any. One that is refused changes nothing."""
        known = self._registered.get(rule.id)
        if known is None:
            return self.add(rule)
        whole = resolved(rule, self.schema)
        self.precedence.replace(whole)
        self._candidates.remove(known.rule)
        self._candidates.add(whole)
        self._registered[rule.id] = ResolvedRule(whole, known.number, is_set_oriented(whole))
        return whole

    def candidates(self, occurrences: EventOccurrences) -> list[ResolvedRule]:
        """The rules that may be triggered, in the order of registration."""
        found = (self._registered[rule] for rule in dict.fromkeys(self._candidates.of(occurrences)))
        return sorted(found, key=lambda registered: registered.number)

    def settle(self) -> None:
        """Make the search for candidates as fast as it gets. Nobody has to."""
        self._candidates.settle()

    def __getitem__(self, rule: str) -> ResolvedRule:
        known = self._registered.get(rule)
        if known is None:
            raise UnknownRule(wanted=f"the rule {rule!r}", found="none of that name")
        return known

    def __iter__(self) -> Iterator[ResolvedRule]:
        """In the order of registration."""
        return iter(self._registered.values())

    def __len__(self) -> int:
        return len(self._registered)

    def __contains__(self, rule: object) -> bool:
        return rule in self._registered


def is_set_oriented(rule: Rule) -> bool:
    """Whether neither the condition nor an action mentions `$delta`."""
    return not uses_delta((rule.condition, rule.actions))
