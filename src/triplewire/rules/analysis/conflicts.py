"""Pairs of rules that may be triggered at the same time, are not ordered, and do not commute (section 2.5).

Rules whose cascades are alike are compared once. A thousand rules that differ only in the resources that they name
take no more comparisons than one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement

from msgspec import Struct

from triplewire.languages.rdftl.syntax import Coupling, Rule
from triplewire.rules.analysis.bits import members
from triplewire.rules.analysis.cascades import Cascade
from triplewire.rules.analysis.conditions import Commutes, commute, commutes
from triplewire.rules.analysis.digraphs import components, reachable
from triplewire.rules.analysis.footprints.extents import ExtentIndex
from triplewire.rules.analysis.footprints.footprint import Footprint
from triplewire.rules.analysis.footprints.writes import EventKind


class Conflict(Struct, frozen=True):
    """A rule, and others that it does not commute with for the same reasons."""

    rule: str
    others: tuple[str, ...]
    cascades: tuple[Cascade, Cascade]

    def reasons(self, index: ExtentIndex) -> Commutes:
        """Which conditions fail, and why. Half a million pairs may fail, so their sentences wait to be asked for."""
        return commutes(*self.cascades, index)


class _Kind(Struct, frozen=True):
    """What decides whether rules meet and commute."""

    coupling: Coupling
    event_kinds: tuple[EventKind, ...]
    waits_for_classes: bool
    cascade: Cascade


def conflicts(footprints: Sequence[Footprint], cascades: Sequence[Cascade], index: ExtentIndex) -> Iterator[Conflict]:
    """Every conflict, each pair once."""
    ordered = ordered_by_precedence([each.rule for each in footprints])
    groups = _grouped(footprints, cascades, index).items()
    for (one, ones), (other, others) in combinations_with_replacement(groups, 2):
        if _meet(one, other) and not commute(one.cascade, other.cascade, index):
            names = _spelled_out(ones, others, footprints, ordered)
            yield from (Conflict(rule, found, (one.cascade, other.cascade)) for rule, found in names)


def ordered_by_precedence(rules: Sequence[Rule]) -> list[int]:
    """For each rule, the set of those that PRECEDES clauses order before or after it, by place."""
    place = {rule.id: number for number, rule in enumerate(rules)}
    forward = [sum(1 << place[name] for name in set(rule.precedes) if name in place) for rule in rules]
    after = reachable(forward, components(forward, _reversed(forward)))
    return [later | earlier for later, earlier in zip(after, _reversed(after), strict=True)]


def _reversed(rows: Sequence[int]) -> list[int]:
    turned = [0] * len(rows)
    for place, row in enumerate(rows):
        for other in members(row):
            turned[other] |= 1 << place
    return turned


def _grouped(footprints: Sequence[Footprint], cascades: Sequence[Cascade], index: ExtentIndex) -> Mapping[_Kind, int]:
    groups: dict[_Kind, int] = {}
    for place, (each, cascade) in enumerate(zip(footprints, cascades, strict=True)):
        event = each.event
        kind = _Kind(each.rule.coupling, event.event_kinds, bool(event.extents & index.every_instance), cascade)
        groups[kind] = groups.get(kind, 0) | 1 << place
    return groups


def _meet(one: _Kind, other: _Kind) -> bool:
    """Whether one update may trigger both, or for deferred rules one transaction.

    An update of rdf:type also inserts and deletes instances.
    """
    if one.coupling is not other.coupling:
        return False
    if one.coupling is Coupling.DEFERRED:
        return True
    return not set(one.event_kinds).isdisjoint(other.event_kinds) or (_by_update(one) and _by_update(other))


def _by_update(kind: _Kind) -> bool:
    return EventKind.UPDATE in kind.event_kinds or kind.waits_for_classes


def _spelled_out(
    ones: int, others: int, footprints: Sequence[Footprint], ordered: Sequence[int]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for place in members(ones):
        found = others & ~ordered[place] & ~(1 << place)
        if ones == others:
            found &= ~((1 << place) - 1)
        if found:
            yield footprints[place].rule.id, tuple(footprints[each].rule.id for each in members(found))
