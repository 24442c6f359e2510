"""What subscriptions ask for: how often each predicate and object, and between which numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from triplewire.matching.kernels import layout
from triplewire.matching.kernels.bytetable import slot_count
from triplewire.matching.kernels.index.anchor_keys import anchor_key, key_slot
from triplewire.matching.kernels.layout import HEADER, NOBODY, ROW
from triplewire.matching.kernels.machine import Floats, Table, double_at, inner, kernel
from triplewire.matching.kernels.structures import Programs, Words


class DemandCounts(NamedTuple):
    """What subscriptions ask for: patterns by (predicate, object) and by predicate, and the extent of ranges."""

    slots: Words
    keys: Table
    counts: Table
    by_predicate: Table
    lows: Floats
    highs: Floats


def demand_of(programs: Programs, constants: int) -> DemandCounts:
    """Count what the programs ask for."""
    most = programs.code.size // 3 + 1
    demand = DemandCounts(
        slots=np.zeros(slot_count(most), np.int32),
        keys=np.zeros(most, np.int64),
        counts=np.zeros(most, np.int64),
        by_predicate=np.zeros(constants, np.int64),
        lows=np.full(constants, np.inf),
        highs=np.full(constants, -np.inf),
    )
    _count(programs, demand)
    return demand


@inner
def alternatives_of(programs: Programs, program: int) -> tuple[int, int]:
    """Where a program's alternatives begin in the code, and how many there are."""
    start = programs.starts[program]
    code = programs.code
    return start + HEADER + 3 * code[start] + code[start + 2], code[start + 3]


@kernel
def _count(programs: Programs, demand: DemandCounts) -> None:
    code = programs.code
    used = 0
    for program in range(programs.starts.size - 1):
        start = programs.starts[program]
        for pattern in range(code[start]):
            at = start + HEADER + 3 * pattern
            predicate, thing = code[at + 1], code[at + 2]
            if predicate >= 0 and thing >= 0:
                demand.by_predicate[predicate] += 1
                used = _count_key(demand, anchor_key(layout.PREDICATE_OBJECT, predicate, thing), used)
        at, alternatives = alternatives_of(programs, program)
        for _ in range(alternatives):
            _extend(programs, demand, program, at + 1, code[at])
            at += 1 + code[at] * ROW


@inner
def _count_key(demand: DemandCounts, key: int, used: int) -> int:
    mask = demand.slots.size - 1
    at = key_slot(key, mask)
    while demand.slots[at] != 0 and demand.keys[demand.slots[at] - 1] != key:
        at = (at + 1) & mask
    if demand.slots[at] == 0:
        demand.keys[used] = key
        used += 1
        demand.slots[at] = used
    demand.counts[demand.slots[at] - 1] += 1
    return used


@inner
def _extend(programs: Programs, demand: DemandCounts, program: int, at: int, rows: int) -> None:
    """Widen the known extent of a predicate's ranges by the numbers of NUMBER rows."""
    for row in range(rows):
        place = at + row * ROW
        if is_ranged(programs.code[place]):
            predicate = home(programs, program, programs.code[place + 1])[1]
            if predicate >= 0:
                number = double_at(programs.code, place + 2)
                demand.lows[predicate] = min(demand.lows[predicate], number)
                demand.highs[predicate] = max(demand.highs[predicate], number)


@inner
def is_ranged(operation: int) -> bool:
    """Rows that bound a value from below or above."""
    return operation == layout.NUMBER or operation == layout.MOMENT


@inner
def home(programs: Programs, program: int, variable: int) -> tuple[int, int]:
    """The pattern that has the variable as its object, and its predicate; a constant predicate is preferred."""
    code, start = programs.code, programs.starts[program]
    best = NOBODY
    for pattern in range(code[start]):
        at = start + HEADER + 3 * pattern
        if code[at + 2] < 0 and (-1 - code[at + 2]) >> 1 == variable:
            if code[at + 1] >= 0:
                return pattern, code[at + 1]
            best = pattern
    return best, NOBODY
