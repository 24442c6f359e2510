"""What the analysis says of a whole rule base: which rule may trigger which, whether it ends, and what to look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from triplewire.languages.rdftl.syntax import Rule
from triplewire.rules.analysis import Analysis
from triplewire.rules.drawing.layers import layers
from triplewire.rules.schema import Schema
from triplewire.wire.console import RuleAnalysis, RuleFinding, TriggeringArc

# Nobody reads more, and a sentence takes work; how many there are is said.
_MOST_ARCS = 2_000
_MOST_FINDINGS = 500


def analysis_report(rules: Sequence[Rule], schema: Schema) -> RuleAnalysis:
    """The report. Without a schema there is nothing that could be said for sure."""
    if not rules:
        return RuleAnalysis("no rules")
    if schema.is_empty:
        return RuleAnalysis("no schema", layers=(tuple(rule.id for rule in rules),))
    analysis = Analysis(rules, schema)
    names = [rule.id for rule in analysis.rules]
    rows = tuple(tuple(names[place] for place in row) for row in layers(analysis.graph))
    arcs = tuple(islice(_arcs(analysis, names), _MOST_ARCS))
    return RuleAnalysis("analysed", rows, arcs, tuple(islice(_findings(analysis), _MOST_FINDINGS)))


def _arcs(analysis: Analysis, names: Sequence[str]) -> Iterator[TriggeringArc]:
    for first, second in analysis.graph.edges():
        trigger = analysis.may_trigger(names[first], names[second])
        if trigger is not None:
            is_endless = analysis.graph.on_cycle(first, second)
            yield TriggeringArc(names[first], names[second], trigger.reason, is_endless)


def _findings(analysis: Analysis) -> Iterator[RuleFinding]:
    termination = analysis.termination
    for cycle in analysis.graph.cycles:
        yield RuleFinding("may not end", " -> ".join(cycle), tuple(dict.fromkeys(cycle)), warns=True)
    if termination.holds:
        yield RuleFinding("ends", termination.reason)
    yield from _not_well_defined(analysis)
    yield from _not_commuting(analysis)
    for rule, why in analysis.never_firing.items():
        yield RuleFinding("never fires", why, (rule,), warns=True)
    for found in analysis.pitfalls:
        yield RuleFinding(found.kind, found.reason, (found.rule,), warns=True)


def _not_well_defined(analysis: Analysis) -> Iterator[RuleFinding]:
    for rule in analysis.rules:
        found = analysis.well_defined(rule.id)
        for name, verdict in (("I1", found.i1), ("I2", found.i2), ("I3", found.i3)):
            if not verdict.holds:
                yield RuleFinding("not well-defined", f"{name} fails: {verdict.reason}", (rule.id,), warns=True)


def _not_commuting(analysis: Analysis) -> Iterable[RuleFinding]:
    for conflict in analysis.conflicts:
        reasons = conflict.reasons(analysis.index)
        for name, verdict in (("C1", reasons.c1), ("C2", reasons.c2), ("C3", reasons.c3)):
            if not verdict.holds:
                concerned = (conflict.rule, *conflict.others)
                yield RuleFinding("do not commute", f"{name} fails: {verdict.reason}", concerned, warns=True)
