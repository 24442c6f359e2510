"""Which intervals of a sorted list touch a value: an implicit tree over the list itself.

Intervals lie sorted by their low end. The middle of a range is its root, and `tops[middle]` is the greatest high end in
the range, so that a whole range is passed over where it ends too early. No pointers, no rebalancing, one pass to build.
"""

from __future__ import annotations

from triplewire.matching.kernels.machine import Floats, Table, fused

# Two words a level, and a tree over 2**60 intervals has 60 levels.
STACK = 256


@fused
def fill_tops(highs: Floats, tops: Floats, start: int, end: int, stack: Table) -> None:
    """Fill `tops` for the tree over `[start, end)`: children before their parent."""
    stack[0], stack[1], stack[2] = start, end, 0
    depth = 3
    while depth > 0:
        depth -= 3
        low, high, ready = stack[depth], stack[depth + 1], stack[depth + 2]
        if low >= high:
            continue
        middle = (low + high) >> 1
        if ready:
            tops[middle] = _top(highs, tops, low, middle, high)
            continue
        stack[depth + 2] = 1
        stack[depth + 3], stack[depth + 4], stack[depth + 5] = low, middle, 0
        stack[depth + 6], stack[depth + 7], stack[depth + 8] = middle + 1, high, 0
        depth += 9


@fused
def _top(highs: Floats, tops: Floats, low: int, middle: int, high: int) -> float:
    top = highs[middle]
    if low < middle:
        top = max(top, tops[(low + middle) >> 1])
    if middle + 1 < high:
        top = max(top, tops[(middle + 1 + high) >> 1])
    return float(top)
