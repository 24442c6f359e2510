"""What the analysis says of a rule that was just registered: a report, never a reason to refuse it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from triplewire.algebra.verdicts import Verdict
from triplewire.languages.rdftl.syntax import Rule
from triplewire.rules.analysis import Analysis, Commutes, Conflict
from triplewire.rules.analysis.digraphs import shortest_cycle
from triplewire.rules.analysis.triggering import TriggeringGraph
from triplewire.rules.schema import Schema


class Pair(Struct, frozen=True):
    """A rule that may be triggered together with the registered one, in no order, and does not commute with it."""

    rule: str
    reasons: dict[str, str]


class RegistrationReport(Struct, frozen=True):
    """`conditions` are those of I1, I2 and I3 that fail; `cycle` is there if the rule may lead to itself again.

    `pitfalls` say where the rule is hardly what was meant.
    """

    well_defined: bool
    conditions: dict[str, str]
    conflicts: tuple[Pair, ...]
    cycle: tuple[str, ...] | None
    never_fires: str | None
    pitfalls: tuple[str, ...] = ()


def report(rule: str, rules: Sequence[Rule], schema: Schema) -> RegistrationReport:
    """What the analysis says of a rule among others."""
    analysis = Analysis(rules, schema)
    found = analysis.well_defined(rule)
    failing = _failing(I1=found.i1, I2=found.i2, I3=found.i3)
    pairs = sorted(_pairs(rule, analysis), key=lambda pair: pair.rule)
    beware = (pitfall.reason for pitfall in analysis.pitfalls if pitfall.rule == rule)
    return RegistrationReport(
        found.holds,
        failing,
        tuple(pairs),
        _cycle(rule, analysis.graph),
        analysis.never_firing.get(rule),
        tuple(beware),
    )


def _pairs(rule: str, analysis: Analysis) -> Iterator[Pair]:
    for conflict in analysis.conflicts:
        others = _others(rule, conflict)
        if others:
            reasons = _reasons(conflict.reasons(analysis.index))
            yield from (Pair(other, reasons) for other in others)


def _cycle(rule: str, graph: TriggeringGraph) -> tuple[str, ...] | None:
    """The shortest cycle among the rules that trigger it and that it triggers."""
    place = graph.place[rule]
    together = next(component for component in graph.components if component >> place & 1)
    found = shortest_cycle(graph.forward, together)
    return tuple(graph.footprints[each].rule.id for each in found) if found else None


def _others(rule: str, conflict: Conflict) -> tuple[str, ...]:
    if conflict.rule == rule:
        return conflict.others
    return (conflict.rule,) if rule in conflict.others else ()


def _reasons(found: Commutes) -> dict[str, str]:
    return _failing(C1=found.c1, C2=found.c2, C3=found.c3)


def _failing(**verdicts: Verdict) -> dict[str, str]:
    return {name: verdict.reason for name, verdict in verdicts.items() if not verdict.holds}
