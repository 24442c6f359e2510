"""What the analysis of rules has found out, in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from triplewire.algebra.verdicts import Verdict
from triplewire.cli.names import shortened
from triplewire.languages.rdftl.syntax import Update
from triplewire.rules.analysis import Analysis, Conflict, SchemaTriple
from triplewire.rules.analysis.footprints.footprint import Footprint

_SHOWN = 20
_OTHERS = 8


class Finding(Struct, frozen=True):
    """One line of the report."""

    label: str
    text: str
    warns: bool = False

    @property
    def style(self) -> str:
        return "bold yellow" if self.warns else "dim"


def findings(analysis: Analysis, updates: Sequence[Update] | None, prefixes: Mapping[str, str]) -> list[Finding]:
    """The report for people. Of long lists, the first lines and how many follow."""
    sections = [
        [Finding("rules", _summary(analysis))],
        _triggering(analysis),
        [_verdict("terminates", analysis.termination)],
        _well_definedness(analysis),
        _conflicts(analysis),
        [Finding("never fires", f"{rule}: {why}", warns=True) for rule, why in analysis.never_firing.items()],
        [Finding(found.kind, f"{found.rule}: {found.reason}", warns=True) for found in analysis.pitfalls],
        [] if updates is None else [_unreachable(analysis.unreachable(updates))],
    ]
    return [
        Finding(found.label, shortened(found.text, prefixes), found.warns)
        for section in sections
        for found in _cut(section)
    ]


def findings_object(analysis: Analysis, updates: Sequence[Update] | None) -> dict[str, Any]:
    """Everything, for programs."""
    return {
        "rules": [_rule_object(analysis, each) for each in analysis.graph.footprints],
        "termination": {**_answer(analysis.termination), "cycles": analysis.graph.cycles},
        "conflicts": [_conflict_object(conflict, analysis) for conflict in analysis.conflicts],
        "triggered_by_no_rule": analysis.triggered_by_no_rule,
        "unreachable": None if updates is None else analysis.unreachable(updates),
    }


def _summary(analysis: Analysis) -> str:
    schema = analysis.schema
    edges = sum(row.bit_count() for row in analysis.graph.forward)
    return (
        f"{len(analysis.rules):,} read; the schema has {len(schema.classes):,} classes and {len(schema.properties):,} "
        f"properties; the triggering graph has {edges:,} edge{'' if edges == 1 else 's'}"
    )


def _triggering(analysis: Analysis) -> Iterator[Finding]:
    names = [rule.id for rule in analysis.rules]
    for first, second in analysis.graph.edges():
        trigger = analysis.may_trigger(names[first], names[second])
        if trigger is not None:
            yield Finding("may trigger", trigger.reason)


def _well_definedness(analysis: Analysis) -> Iterator[Finding]:
    well = 0
    for rule in analysis.rules:
        found = analysis.well_defined(rule.id)
        well += found.holds
        for name, verdict in (("I1", found.i1), ("I2", found.i2), ("I3", found.i3)):
            if not verdict.holds:
                yield Finding("not well-defined", f"{rule.id}: {name} fails: {verdict.reason}", warns=True)
    if well:
        yield Finding(
            "well-defined", f"{well:,} of {len(analysis.rules):,}: copies of their actions may run in any order"
        )


def _conflicts(analysis: Analysis) -> Iterator[Finding]:
    for conflict in analysis.conflicts:
        reasons = conflict.reasons(analysis.index)
        for name, verdict in (("C1", reasons.c1), ("C2", reasons.c2), ("C3", reasons.c3)):
            if not verdict.holds:
                pair = f"{conflict.rule} and {_some(conflict.others)}"
                yield Finding("do not commute", f"{pair}: {name} fails: {verdict.reason}", warns=True)
    if not analysis.conflicts:
        yield Finding("commute", "all rules that may be triggered at the same time and that no PRECEDES puts in order")


def _unreachable(names: Sequence[str]) -> Finding:
    if names:
        return Finding("unreachable", f"the updates never lead to {_some(names)}", warns=True)
    return Finding("unreachable", "none: the updates may lead to every rule")


def _verdict(label: str, verdict: Verdict) -> Finding:
    return Finding(label, f"{'yes' if verdict.holds else 'no'}: {verdict.reason}", warns=not verdict.holds)


def _cut(section: Iterable[Finding]) -> Iterator[Finding]:
    shown = 0
    left: Finding | None = None
    hidden = 0
    for found in section:
        if shown < _SHOWN:
            shown += 1
            yield found
        else:
            hidden += 1
            left = found
    if left is not None:
        yield Finding(left.label, f"... and {hidden:,} more; --json has all", left.warns)


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_OTHERS])
    return shown if len(names) <= _OTHERS else f"{shown} and {len(names) - _OTHERS:,} more"


def _rule_object(analysis: Analysis, each: Footprint) -> dict[str, Any]:
    name = each.rule.id
    found = analysis.well_defined(name)
    triggered = [analysis.may_trigger(name, other.rule.id) for other in _followers(analysis, name)]
    return {
        "id": name,
        "coupling": each.rule.coupling.value,
        "set_oriented": each.set_oriented,
        "well_defined": found.holds,
        "I1": _answer(found.i1),
        "I2": _answer(found.i2),
        "I3": _answer(found.i3),
        "may_trigger": [{"rule": t.second, "reason": t.reason} for t in triggered if t is not None],
        "triples_queried": _triples(analysis.triples_queried(name)),
        "triggered_triples_queried": _triples(
            {t for action in each.actions for t in analysis.triggered_triples_queried(action)}
        ),
        "triggered_triples_updated": _triples(
            {t for action in each.actions for t in analysis.triggered_triples_updated(action)}
        ),
        "never_fires": analysis.never_firing.get(name),
        "pitfalls": [found.reason for found in analysis.pitfalls if found.rule == name],
    }


def _followers(analysis: Analysis, rule: str) -> list[Footprint]:
    return analysis.graph.rules_in(analysis.graph.forward[analysis.graph.place[rule]])


def _conflict_object(conflict: Conflict, analysis: Analysis) -> dict[str, Any]:
    reasons = conflict.reasons(analysis.index)
    return {
        "rule": conflict.rule,
        "others": conflict.others,
        "C1": _answer(reasons.c1),
        "C2": _answer(reasons.c2),
        "C3": _answer(reasons.c3),
    }


def _answer(verdict: Verdict) -> dict[str, Any]:
    return {"holds": verdict.holds, "reason": verdict.reason}


def _triples(triples: Iterable[SchemaTriple]) -> list[list[str]]:
    return sorted([t.source.value, t.property.value, t.target.value] for t in triples)
