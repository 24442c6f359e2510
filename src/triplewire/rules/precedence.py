"""Precedence: a partial order of rules (section 2.2). Rules that it does not relate may come in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from graphlib import TopologicalSorter
from heapq import heappop, heappush
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
        grouped: dict[str, list[_Item]] = {}
        for item in items:
            grouped.setdefault(rule_of(item), []).append(item)
        later = {rule: self._after(rule) & grouped.keys() for rule in grouped}
        if not any(later.values()):
            return list(items)
        return [item for rule in _sorted(later) for item in grouped[rule]]

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


def _sorted(later: Mapping[str, Set[str]]) -> Iterator[str]:
    """Rules, each before those that come later; of several that may be next, the one that is listed first."""
    rules = list(later)
    place = {rule: number for number, rule in enumerate(rules)}
    sorter = TopologicalSorter[str](dict.fromkeys(rules, ()))
    for rule, others in later.items():
        for other in others:
            sorter.add(other, rule)
    sorter.prepare()
    ready: list[int] = []
    while sorter.is_active():
        for rule in sorter.get_ready():
            heappush(ready, place[rule])
        rule = rules[heappop(ready)]
        yield rule
        sorter.done(rule)


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
