"""The order that PRECEDES clauses put rules in."""

from __future__ import annotations

from collections.abc import Sequence

from triplewire.languages.rdftl.syntax import Rule
from triplewire.rules.analysis.bits import members
from triplewire.rules.analysis.digraphs import components, reachable


def ordered(rules: Sequence[Rule]) -> list[int]:
    """For each rule, the set of those that come before or after it, by place."""
    place = {rule.id: number for number, rule in enumerate(rules)}
    forward = [sum(1 << place[name] for name in set(rule.precedes) if name in place) for rule in rules]
    backward = _reversed(forward)
    after = reachable(forward, components(forward, backward))
    return [later | earlier for later, earlier in zip(after, _reversed(after), strict=True)]


def _reversed(rows: Sequence[int]) -> list[int]:
    turned = [0] * len(rows)
    for place, row in enumerate(rows):
        for other in members(row):
            turned[other] |= 1 << place
    return turned
