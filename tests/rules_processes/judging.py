"""Whether all effects that the abort dependencies demand are there, or compensated: by traces, and by what lies where.

Six things are wanted, once it is quiet:

    ended       no unit is active
    dependency  who has to abort with whom has aborted, by the dependency that each unit's rule was put with
    lists       the lists of Ann, Bob and the desk hold each object as often as units that stay have put it there
    objects     those of transactions that stay are there, those of transactions that have aborted are not
    complete    a transaction that stays has told Ann and Bob, and each message is noted, but in a group that was away,
                or where the trace says that the condition could not be evaluated
    closed      nothing was written where no privilege is
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct
from tests.rules_processes.town import ANN, BOB, DESK, GROUPS, LO, OBJECTS, RULES, Town

from triplewire.client import Client
from triplewire.errors import NodeRefused
from triplewire.wire.network_rules import NetworkUnit

_LISTS = {"tell_ann": (ANN, "ann-new"), "tell_bob": (BOB, "bob-new"), "note": (DESK, "desk")}
_CLOSED = ((ANN, "ann-updated"), (BOB, "bob-updated"))
_LATE = "sites that the condition concerns have not answered in time"
# Older ones may be forgotten.
_LATEST = 10
_GROUP = {rule.name: rule.group for rule in RULES}


class Transaction(Struct):
    """What was asked for: its name, and that of the object. `away` is a group that may have been out of reach."""

    name: str
    object: str
    away: int | None


class Judge:
    """Knows every transaction that there was, with its units as they were last seen."""

    def __init__(self, town: Town) -> None:
        self._town = town
        self._aborts = {rule.name: rule.abort for rule in RULES}
        self.transactions: dict[str, Transaction] = {}
        self.units: dict[str, NetworkUnit] = {}
        self._not_scheduled: set[str] = set()
        self._settled: list[str] = []
        self._seen = 0

    def add(self, name: str, object_name: str, away: int | None) -> None:
        """A transaction to be judged."""
        self.transactions[name] = Transaction(name, object_name, away)

    def find_own_changes(self, upto: str, away: int | None) -> None:
        """Add what the peer of the first group has changed by itself since the last call, up to a later transaction."""
        last = int(upto.rpartition("/")[2])
        with self._town.client(OBJECTS) as client:
            for number in range(self._seen + 1, last) if self._seen else ():
                name = f"{self._town.ids[OBJECTS]}/{number}"
                if name not in self.transactions and _is_own_change(client, name):
                    self.add(name, "", away)
        self._seen = last

    def wrongs(self) -> list[str]:
        """What is not as it should be, now: by the latest transactions, or, where that is not enough, by all."""
        latest = [name for name in self.transactions if name not in self._settled]
        self._look(latest)
        found = self._found()
        if found:
            self._look(self._settled)
            found = self._found()
        return found

    def settle(self) -> None:
        """From here on the transactions so far are looked at again only if something is wrong."""
        self._settled = list(self.transactions)

    def one_that_stays(self, chance: random.Random) -> str:
        """A transaction that could be withdrawn."""
        units = (self.units.get(name) for name in self.transactions)
        staying = [unit.id for unit in units if unit and not unit.is_sealed and unit.status == "committed"]
        return chance.choice(staying[-_LATEST:])

    def summary(self) -> str:
        """How much of what there was."""
        roots = [self.units[name] for name in self.transactions]
        aborted = sum(map(_is_aborted, self.units.values()))
        return (
            f"{len(roots)} transactions, {sum(unit.is_sealed for unit in roots)} of them by the peer itself; "
            f"{len(self.units)} units, {aborted} aborted"
        )

    def _look(self, names: Sequence[str]) -> None:
        """Ask each super-peer for the traces; all of a unit is told by its own one alone."""
        for super_peer, group in zip(self._town.ids, range(GROUPS), strict=True):
            with self._town.client(group) as client:
                for name in names:
                    units, not_scheduled = _traced(client, name)
                    self.units |= {unit.id: unit for unit in units if unit.super_peer == super_peer}
                    self._not_scheduled.update(not_scheduled)

    def _found(self) -> list[str]:
        if not self.transactions.keys() <= self.units.keys():
            return [f"{self.transactions.keys() - self.units.keys()} are not known"]
        found = (self._ended(), self._dependencies(), self._lists(), self._objects(), self._complete(), self._closed())
        return [wrong for some in found for wrong in some]

    def _ended(self) -> Iterator[str]:
        yield from (f"{unit.id} is active" for unit in self.units.values() if unit.status == "active")
        yield from (f"{peer.name} has not told all" for peer in self._town.peers if not peer.has_told)

    def _dependencies(self) -> Iterator[str]:
        for child in self.units.values():
            parent = self.units.get(child.parent or "")
            if parent is None:
                continue
            assert child.abort == self._aborts[self._rule_of(child)], child
            says = f"{child.id} of {child.rule} ({child.abort}) is {child.status}, and its parent {parent.status}"
            if _is_aborted(parent) and child.abort in ("MUTUAL", "PARENTCHILD") and not _is_aborted(child):
                yield says
            if _is_aborted(child) and child.abort in ("MUTUAL", "CHILDPARENT"):
                yield from () if _is_aborted(parent) or parent.is_sealed else (says,)

    def _lists(self) -> Iterator[str]:
        for rule, (group, name) in _LISTS.items():
            put = (unit for unit in self.units.values() if unit.status == "committed" and self._rule_of(unit) == rule)
            wanted, found = Counter(map(_object_of, put)), self._town.listed(group, name)
            if found != wanted:
                yield f"{name} lacks {dict(wanted - found)}, and has too many: {dict(found - wanted)}"

    def _objects(self) -> Iterator[str]:
        there = self._town.objects()
        for one in self.transactions.values():
            unit = self.units[one.name]
            if unit.is_sealed and _is_aborted(unit):
                yield f"{one.name} was committed by its peer, and has aborted: {unit.reason}"
            if one.object and (one.object in there) == _is_aborted(unit):
                yield f"{one.name} is {unit.status}, and {one.object} is{'' if one.object in there else ' not'} there"

    def _complete(self) -> Iterator[str]:
        """A unit of each rule below each cause that stays, and one only."""
        for one in self.transactions.values():
            yield from self._below(self.units[one.name], ("tell_ann", "tell_bob"), one.away)

    def _below(self, cause: NetworkUnit, rules: tuple[str, ...], away: int | None) -> Iterator[str]:
        if _is_aborted(cause):
            return
        children = [unit for unit in self.units.values() if unit.parent == cause.id]
        counts = Counter(map(self._rule_of, children))
        for rule in rules:
            is_excused = away == _GROUP[rule] or self._has_failed(cause, rule)
            if counts[rule] > 1 or (counts[rule] == 0 and not is_excused):
                yield f"{cause.id} has led to {counts[rule]} units of {rule}"
        for child in children:
            if self._rule_of(child).startswith("tell"):
                yield from self._below(child, ("note",), away)

    def _has_failed(self, cause: NetworkUnit, rule: str) -> bool:
        """Whether it is said that the condition of a rule could not be evaluated."""
        names = [name for name, known in self._town.rule_names.items() if known == rule]
        return any(f"{cause.id}: {name}: {_LATE}" in self._not_scheduled for name in names)

    def _closed(self) -> Iterator[str]:
        for group, name in _CLOSED:
            yield from (f"{name} was written" for _ in self._town.listed(group, name))

    def _rule_of(self, unit: NetworkUnit) -> str:
        return "" if unit.rule is None else self._town.rule_names[unit.rule]


def _is_aborted(unit: NetworkUnit) -> bool:
    return unit.status == "aborted"


def _traced(client: Client, name: str) -> tuple[tuple[NetworkUnit, ...], tuple[str, ...]]:
    """The units that are known, and what was not scheduled; what has ended is forgotten after ten minutes."""
    try:
        found = client.federation.trace(name, wait=10.0)
    except NodeRefused as refusal:
        if refusal.status != 404:
            raise
        return (), ()
    assert not found.unanswered, f"{found.unanswered} did not say what became of {name}"
    return found.units, found.not_scheduled


def _is_own_change(client: Client, name: str) -> bool:
    """Whether a unit is known by that name, and is a transaction that was committed by its peer."""
    units, _ = _traced(client, name)
    return any(unit.id == name and unit.is_sealed for unit in units)


def _object_of(unit: NetworkUnit) -> str:
    """The learning object in the `$delta` of a unit: what was given a subject, or what was put into a list."""
    [found] = {text for text in unit.delta.values() if text.startswith(f"<{LO}")}
    return found.removeprefix(f"<{LO}").removesuffix(">")
