"""Questions of ours that are out: who is waited for, and what has been said. What nobody could mean is left out."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field

from triplewire.errors import MessageRefused
from triplewire.federation.execution.units import check_names, super_peer_of
from triplewire.federation.inquiries.answers import LONGEST_NAME, MOST_IN_ALL, at_most, shown
from triplewire.federation.inquiries.messages import PartConcern, RelevanceFound, TracedUnit, TraceFound
from triplewire.languages.rdftl.syntax import Component
from triplewire.wire.network_rules import AbortArc, Concern, NetworkTrace, NetworkUnit

_COMPONENTS = frozenset(component.value for component in Component)


class RuleQuestion(Struct):
    """Whom a rule concerns. `again_at` is when those are asked once more whom the broadcast may have missed."""

    text: str
    until: float
    again_at: float
    concerns: list[Concern]
    waiting: dict[str, None]
    answered: dict[str, None] = field(default_factory=dict)

    def include(self, sender: str, found: RelevanceFound) -> None:
        """Take an answer; the first one counts. Raises `MessageRefused`."""
        at_most(found.concerns, "concerns")
        if sender not in self.answered:
            self.waiting.pop(sender, None)
            self.answered[sender] = None
            self.concerns += [_concern(sender, one) for one in found.concerns]


class Included(Struct, frozen=True):
    """Super-peers that an answer leads to, each with the unit that has sent it something; and what was dropped."""

    onward: tuple[tuple[str, str], ...]
    dropped: tuple[str, ...]


class TraceQuestion(Struct):
    """The units of a transaction. `waiting` are super-peers with the number of answers that they owe.

    `asked` are super-peers with the units because of which they were asked. The first one is asked because of no unit.
    """

    transaction: str
    until: float
    waiting: dict[str, int] = field(default_factory=dict)
    asked: dict[str, dict[str, None]] = field(default_factory=dict)
    units: dict[str, NetworkUnit] = field(default_factory=dict)
    arcs: dict[str, dict[str, None]] = field(default_factory=dict)
    not_scheduled: dict[str, None] = field(default_factory=dict)
    unanswered: dict[str, None] = field(default_factory=dict)
    is_moved: bool = False

    def owed_by(self, other: str) -> None:
        """Somebody was asked, perhaps once more."""
        self.waiting[other] = self.waiting.get(other, 0) + 1

    def answered_by(self, other: str) -> None:
        """Somebody has answered one question."""
        self.waiting[other] -= 1
        if not self.waiting[other]:
            del self.waiting[other]

    def not_asked(self, onward: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
        """Those who were not asked because of these units. From now on they are."""
        found: dict[str, list[str]] = {}
        for other, parent in onward:
            asked = self.asked.setdefault(other, {})
            if parent not in asked and len(asked) < MOST_IN_ALL:
                asked[parent] = None
                found.setdefault(other, []).extend([parent] if parent else [])
        return {other: tuple(parents) for other, parents in found.items()}

    def include(self, sender: str, found: TraceFound) -> Included:
        """Take an answer of somebody who was asked. Raises `MessageRefused`."""
        at_most(found.units, "units")
        at_most(found.arcs, "arcs")
        at_most(found.not_scheduled, "reasons")
        at_most(found.onward, "super-peers")
        dropped = [f"a unit {shown(one.id)}" for one in found.units if not self._include_unit(sender, one)]
        dropped += [f"an arc from {shown(arc[0])}" for arc in found.arcs if not self._include_arc(sender, arc)]
        if len(self.not_scheduled) < MOST_IN_ALL:
            self.not_scheduled.update(dict.fromkeys(map(shown, found.not_scheduled)))
        dropped += [f"a unit {shown(unit)}" for _, unit in found.onward if not _is_of(sender, unit)]
        onward = [pair for pair in found.onward if _is_of(sender, pair[1])]
        return Included((*self._moved(sender, found.transaction), *onward), tuple(dropped))

    def result(self) -> NetworkTrace:
        """What is known when it is over."""
        return NetworkTrace(
            transaction=self.transaction,
            units=tuple(sorted(self.units.values(), key=lambda unit: (unit.depth, unit.super_peer, _number(unit.id)))),
            arcs=tuple(AbortArc(unit, other) for unit in sorted(self.arcs) for other in sorted(self.arcs[unit])),
            not_scheduled=tuple(sorted(self.not_scheduled)),
            unanswered=tuple(sorted(self.waiting.keys() | self.unanswered.keys())),
        )

    def _moved(self, sender: str, transaction: str) -> list[tuple[str, str]]:
        """The super-peer of the unit that was asked for knows its transaction, which may be elsewhere."""
        is_first = not self.is_moved and sender == super_peer_of(self.transaction)
        if not is_first or transaction == self.transaction or not _is_name(transaction):
            return []
        self.is_moved, self.transaction = True, transaction
        return [] if super_peer_of(transaction) == sender else [(super_peer_of(transaction), "")]

    def _include_unit(self, sender: str, unit: TracedUnit) -> bool:
        if not _is_of(sender, unit.id) or not (unit.parent is None or _is_name(unit.parent)):
            return False
        if unit.id in self.units or len(self.units) < MOST_IN_ALL:
            self.units[unit.id] = _unit(sender, unit)
            return True
        return False

    def _include_arc(self, sender: str, arc: tuple[str, str]) -> bool:
        unit, other = arc
        if not _is_of(sender, unit) or not _is_name(other) or len(self.arcs) >= MOST_IN_ALL:
            return False
        self.arcs.setdefault(unit, {})[other] = None
        return True


def _concern(sender: str, one: PartConcern) -> Concern:
    return Concern(
        super_peer=sender,
        peer=shown(one.peer, LONGEST_NAME),
        part=one.part,
        is_concerned=one.is_concerned,
        reason=shown(one.reason),
    )


def _unit(sender: str, unit: TracedUnit) -> NetworkUnit:
    return NetworkUnit(
        id=unit.id,
        super_peer=sender,
        peer=shown(unit.peer, LONGEST_NAME),
        parent=unit.parent,
        rule=None if unit.rule is None else shown(unit.rule, LONGEST_NAME),
        depth=unit.depth,
        abort=None if unit.abort is None else unit.abort.value,
        status=unit.status,
        reason=shown(unit.reason),
        is_sealed=unit.is_sealed,
        delta={name: shown(term) for name, term in unit.delta.items() if name in _COMPONENTS},
    )


def _is_of(sender: str, unit: str) -> bool:
    """Whether it is the name of a unit of that super-peer."""
    return _is_name(unit) and super_peer_of(unit) == sender


def _is_name(text: str) -> bool:
    try:
        check_names(text)
    except MessageRefused:
        return False
    return len(text) <= LONGEST_NAME


def _number(name: str) -> int:
    return int(name.rpartition("/")[2])
