"""Precedence: a partial order of rules (section 2.2). Rules that it does not relate may come in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from triplewire.errors import PrecedenceCycle
from triplewire.languages.rdftl.syntax import Rule

_Item = TypeVar("_Item")


class Precedence:
    """Which rules come before which, through others as well. Rules may name others that are not there yet."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self._next: dict[str, tuple[str, ...]] = {}
        self._later: dict[str, frozenset[str]] = {}
        for rule in rules:
            self.add(rule)

    def add(self, rule: Rule) -> None:
        """Raises `PrecedenceCycle`, and leaves everything as it was, if the rule would precede itself."""
        check_precedence({**self._next, rule.id: rule.precedes}, rule.id)
        self._next[rule.id] = rule.precedes
        self._later.clear()

    replace = add

    def remove(self, rule: str) -> None:
        """Forget what the rule precedes."""
        del self._next[rule]
        self._later.clear()

    def ordered(self, items: Sequence[_Item], rule_of: Callable[[_Item], str]) -> list[_Item]:
        """The items, those of preceding rules first, otherwise in the order given."""
        rules = {rule_of(item) for item in items}
        if not any(self._after(rule) & rules for rule in rules):
            return list(items)
        waiting, done = list(items), list[_Item]()
        while waiting:
            left = {rule_of(item) for item in waiting}
            blocked = frozenset().union(*(self._after(rule) for rule in left))
            free = next(item for item in waiting if rule_of(item) not in blocked)
            chosen = [item for item in waiting if rule_of(item) == rule_of(free)]
            done += chosen
            waiting = [item for item in waiting if rule_of(item) != rule_of(free)]
        return done

    def _after(self, rule: str) -> frozenset[str]:
        if rule not in self._later:
            self._later[rule] = frozenset(_reached(self._next, rule))
        return self._later[rule]


def check_precedence(precedes: Mapping[str, tuple[str, ...]], start: str) -> None:
    """Raise `PrecedenceCycle` if a way leads from the rule back to itself."""
    came_from = _reached(precedes, start)
    if start not in came_from:
        return
    cycle = [start]
    while len(cycle) == 1 or cycle[-1] != start:
        cycle.append(came_from[cycle[-1]])
    raise PrecedenceCycle(tuple(reversed(cycle)))


def _reached(precedes: Mapping[str, tuple[str, ...]], start: str) -> dict[str, str]:
    """Every rule that comes later, with the rule before it on the way."""
    came_from: dict[str, str] = {}
    waiting = [start]
    while waiting:
        here = waiting.pop()
        for there in precedes.get(here, ()):
            if there not in came_from:
                came_from[there] = here
                waiting.append(there)
    return came_from
