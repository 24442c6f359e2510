"""Conjunction in disjunctive normal form, with a bound: `(a v b) ^ (c v d) ^ ...` doubles with every part."""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.algebra.constraints import Condition, Constraint
from triplewire.languages.scanner import check_count

MAX_ALTERNATIVES = 1_000
MAX_CONDITIONS = 20_000


def conjunction(parts: Iterable[Constraint]) -> Constraint:
    """All parts together, distributed; conditions keep the order in which they were written."""
    alternatives: list[list[Condition]] = [[]]
    for part in parts:
        check_count("alternatives", MAX_ALTERNATIVES, len(alternatives) * len(part.alternatives))
        alternatives = _distributed(alternatives, part)
        check_count("conditions", MAX_CONDITIONS, sum(map(len, alternatives)))
    return Constraint(tuple(dict.fromkeys(tuple(dict.fromkeys(alternative)) for alternative in alternatives)))


def disjunction(parts: Iterable[Constraint]) -> Constraint:
    """Any of the parts."""
    alternatives: list[tuple[Condition, ...]] = []
    for part in parts:
        alternatives.extend(part.alternatives)
        check_count("alternatives", MAX_ALTERNATIVES, len(alternatives))
    return Constraint(tuple(dict.fromkeys(alternatives)))


def _distributed(alternatives: list[list[Condition]], part: Constraint) -> list[list[Condition]]:
    if len(part.alternatives) != 1:
        return [[*alternative, *more] for alternative in alternatives for more in part.alternatives]
    for alternative in alternatives:
        alternative.extend(part.alternatives[0])
    return alternatives
