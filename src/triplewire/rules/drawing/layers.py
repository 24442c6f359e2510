"""Where each rule stands: in layers, above those that it may trigger, and near them where that is possible."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from triplewire.rules.analysis.bits import members
from triplewire.rules.analysis.triggering import TriggeringGraph

_SWEEPS = 4


def layers(graph: TriggeringGraph) -> list[list[int]]:
    """The places of rules by layer, from the top, each layer from left to right."""
    rows = _by_depth(graph)
    for _ in range(_SWEEPS):
        for upper, lower in pairwise(rows):
            _line_up(lower, upper, graph)
    return rows


def _by_depth(graph: TriggeringGraph) -> list[list[int]]:
    """A component is one layer below the lowest of those that lead to it."""
    depth = [0] * len(graph.forward)
    for component in graph.components:
        deepest = max(depth[rule] for rule in members(component))
        for rule in members(component):
            depth[rule] = deepest
            for after in members(graph.forward[rule] & ~component):
                depth[after] = max(depth[after], deepest + 1)
    rows: list[list[int]] = [[] for _ in range(max(depth, default=-1) + 1)]
    for rule, row in enumerate(depth):
        rows[row].append(rule)
    return rows


def _line_up(lower: list[int], upper: Sequence[int], graph: TriggeringGraph) -> None:
    """Put each rule of a layer below the middle of those above that trigger it."""
    middle = {rule: place / len(lower) for place, rule in enumerate(lower)}
    for rule in lower:
        above = [place / len(upper) for place, other in enumerate(upper) if graph.forward[other] >> rule & 1]
        if above:
            middle[rule] = sum(above) / len(above)
    lower.sort(key=lambda rule: (middle[rule], rule))
