"""Under which part is a program filed? The pair of parts that is least likely to be in an event by chance.

A first pass counts how often each predicate and object is asked for; the second weighs, for every alternative of every
program, what could be its anchor and its guard, and writes one entry. How likely a part is comes from events where some
were seen (`SeenEvents`), else from the subscriptions: what many ask for, many events have.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from triplewire.matching.kernels import layout
from triplewire.matching.kernels.bytetable import ByteTable
from triplewire.matching.kernels.index.anchor_keys import anchor_key
from triplewire.matching.kernels.index.demand import DemandCounts, alternatives_of, home, is_ranged
from triplewire.matching.kernels.layout import HEADER, NOBODY, ROW
from triplewire.matching.kernels.likelihood import SeenEvents, pair_share, range_share, share_of
from triplewire.matching.kernels.machine import Floats, Table, double_at, inner, kernel
from triplewire.matching.kernels.search.conditions import OPERAND_SINGLE
from triplewire.matching.kernels.structures import Programs, Words


class IndexEntries(NamedTuple):
    """One row an entry. `words`: anchor key, guard, predicate, object, program; `bounds`: low, high."""

    words: Table
    bounds: Floats
    counts: Table


class AnchorOptions(NamedTuple):
    """What an alternative offers, a row each.

    `words`: anchor tag (0 for none), its two constants, the pattern it comes from, guard, its predicate and object, and
    for MEMBERS the place of the row in the code. `weights`: the share of events that have it, and the low and high end
    of a range.
    """

    words: Table
    weights: Floats


_TAG, _A, _B, _PATTERN, _GUARD, _PREDICATE, _OBJECT, _PLACE = range(8)
_SHARE, _LOW, _HIGH = range(3)

_MOST_OPTIONS = 64
_MOST_MEMBERS = 32
_MEMBERS = 15  # a tag of this file: one PREDICATE_OBJECT or OBJECT anchor for each constant of an IN

# How likely an event has a part that neither events nor subscriptions tell about.
_SUBJECT_SHARE = 1e-4
_OBJECT_SHARE = 0.02
_PREDICATE_SHARE = 0.5
_CLASS_SHARE = 0.1
_LETTER_SHARE = 0.25
_LEAST_SHARE = 1e-7
_FOURTEEN_HOURS = 14 * 3600.0


def entries_of(programs: Programs, texts: ByteTable, demand: DemandCounts, seen: SeenEvents) -> IndexEntries:
    """Choose an anchor and a guard for every alternative of every program."""
    most = _count_entries(programs)
    entries = IndexEntries(np.empty((most, 5), np.int64), np.empty((most, 2)), np.zeros(1, np.int64))
    options = AnchorOptions(np.zeros((_MOST_OPTIONS, 8), np.int64), np.zeros((_MOST_OPTIONS, 3)))
    _choose_all(programs, texts, demand, seen, options, entries)
    count = int(entries.counts[0])
    return IndexEntries(entries.words[:count], entries.bounds[:count], entries.counts)


@kernel
def _count_entries(programs: Programs) -> int:
    """An upper bound: one for each alternative, and one for each constant of an IN."""
    total = 0
    for program in range(programs.starts.size - 1):
        at, alternatives = alternatives_of(programs, program)
        total += max(alternatives, 1)
        for _ in range(alternatives):
            total += programs.code[at]
            at += 1 + programs.code[at] * ROW
    return total


@kernel
def _choose_all(
    programs: Programs,
    texts: ByteTable,
    demand: DemandCounts,
    seen: SeenEvents,
    options: AnchorOptions,
    entries: IndexEntries,
) -> None:
    for program in range(programs.starts.size - 1):
        at, alternatives = alternatives_of(programs, program)
        for _ in range(alternatives):
            rows = programs.code[at]
            count = _offer_patterns(programs, demand, seen, options, program)
            count = _offer_rows(programs, texts, demand, seen, options, program, at + 1, rows, count)
            _enter_best(programs, options, entries, program, count)
            at += 1 + rows * ROW


@inner
def _offer(options: AnchorOptions, count: int, tag: int, a: int, b: int, pattern: int, share: float) -> int:
    """Add an option that has no guard yet, if there is room."""
    if count >= _MOST_OPTIONS:
        return count
    row, weight = options.words[count], options.weights[count]
    row[_TAG], row[_A], row[_B], row[_PATTERN], row[_GUARD] = tag, a, b, pattern, layout.UNGUARDED
    weight[_SHARE] = max(share, _LEAST_SHARE)
    return count + 1


@inner
def _offer_pair(
    demand: DemandCounts, seen: SeenEvents, options: AnchorOptions, count: int, predicate: int, thing: int, pattern: int
) -> int:
    """A predicate with its object: an anchor, and a guard for others."""
    share = pair_share(demand, seen, predicate, thing)
    after = _offer(options, count, layout.PREDICATE_OBJECT, predicate, thing, pattern, share)
    if after > count:
        row = options.words[count]
        row[_GUARD], row[_PREDICATE], row[_OBJECT] = layout.HAS_OBJECT, predicate, thing
    return after


@inner
def _offer_patterns(
    programs: Programs, demand: DemandCounts, seen: SeenEvents, options: AnchorOptions, program: int
) -> int:
    code, start = programs.code, programs.starts[program]
    count = _offer(options, 0, layout.ANY, 0, 0, NOBODY, 1.0)
    for pattern in range(code[start]):
        at = start + HEADER + 3 * pattern
        subject, predicate, thing = code[at], code[at + 1], code[at + 2]
        if predicate >= 0 and thing >= 0:
            count = _offer_pair(demand, seen, options, count, predicate, thing, pattern)
        elif predicate >= 0:
            share = share_of(seen, anchor_key(layout.PREDICATE, predicate, 0), _PREDICATE_SHARE)
            count = _offer(options, count, layout.PREDICATE, predicate, 0, pattern, share)
        elif thing >= 0:
            count = _offer(options, count, layout.OBJECT, thing, 0, pattern, _OBJECT_SHARE)
        if subject >= 0 and predicate >= 0:
            share = _SUBJECT_SHARE / 2
            count = _offer(options, count, layout.SUBJECT_PREDICATE, subject, predicate, pattern, share)
        elif subject >= 0:
            count = _offer(options, count, layout.SUBJECT, subject, 0, pattern, _SUBJECT_SHARE)
    return count


@inner
def _offer_rows(
    programs: Programs,
    texts: ByteTable,
    demand: DemandCounts,
    seen: SeenEvents,
    options: AnchorOptions,
    program: int,
    at: int,
    rows: int,
    count: int,
) -> int:
    code = programs.code
    for row in range(rows):
        place = at + row * ROW
        operation, operand = code[place], code[place + 2]
        if operation == layout.CLASS and (code[place + 4] == layout.IS_A or code[place + 4] == layout.DIRECT):
            count = _offer(options, count, layout.CLASS_MEMBER, operand, 0, NOBODY, _CLASS_SHARE)
        elif operation == layout.TEXT:
            length = texts.offsets[operand + 1] - texts.offsets[operand]
            if length > 0:
                count = _offer(options, count, layout.SUBSTRING, operand, 0, NOBODY, _LETTER_SHARE**length)
        elif operation == layout.TERM and code[place + 4] & 255 == layout.EQUAL:
            pattern, predicate = home(programs, program, code[place + 1])
            if predicate >= 0:
                count = _offer_pair(demand, seen, options, count, predicate, operand, pattern)
        elif operation == layout.MEMBER:
            count = _offer_members(programs, demand, seen, options, program, place, count)
        elif is_ranged(operation) and _is_first(code, at, row):
            count = _offer_range(programs, demand, seen, options, program, at, rows, row, count)
    return count


@inner
def _is_first(code: Words, at: int, row: int) -> bool:
    """Whether no earlier row of the kind is about the same variable: the first one speaks for all."""
    this = at + row * ROW
    for earlier in range(row):
        place = at + earlier * ROW
        if code[place] == code[this] and code[place + 1] == code[this + 1]:
            return False
    return True


@inner
def _offer_members(
    programs: Programs,
    demand: DemandCounts,
    seen: SeenEvents,
    options: AnchorOptions,
    program: int,
    place: int,
    count: int,
) -> int:
    """IN over terms, under a constant predicate: as many anchors as there are terms."""
    code = programs.code
    pattern, predicate = home(programs, program, code[place + 1])
    members = code[place + 2]
    if predicate < 0 or members > _MOST_MEMBERS:
        return count
    share = 0.0
    for index in range(1, members + 1):
        if code[place + index * ROW + 1] != layout.TERM:
            return count
        share += pair_share(demand, seen, predicate, code[place + index * ROW + 2])
    after = _offer(options, count, _MEMBERS, predicate, 0, pattern, share)
    if after > count:
        options.words[count, _PLACE] = place
    return after


@inner
def _offer_range(
    programs: Programs,
    demand: DemandCounts,
    seen: SeenEvents,
    options: AnchorOptions,
    program: int,
    at: int,
    rows: int,
    row: int,
    count: int,
) -> int:
    """All rows of one kind about one variable, as one interval."""
    operation, variable = programs.code[at + row * ROW], programs.code[at + row * ROW + 1]
    pattern, predicate = home(programs, program, variable)
    low, high = _interval(programs.code, at, rows, operation, variable)
    if pattern == NOBODY or (low == -np.inf and high == np.inf):
        return count
    share = range_share(demand, seen, predicate, low, high) if predicate >= 0 else 0.5
    after = _offer(options, count, 0, 0, 0, pattern, share)
    if after > count:
        words, weights = options.words[count], options.weights[count]
        words[_GUARD] = layout.HAS_MOMENT if operation == layout.MOMENT else layout.HAS_VALUE
        words[_PREDICATE], words[_OBJECT] = predicate, NOBODY
        weights[_LOW], weights[_HIGH] = low, high
    return after


@inner
def _interval(code: Words, at: int, rows: int, operation: int, variable: int) -> tuple[float, float]:
    """The closed interval that holds every value which the rows of one kind about a variable allow."""
    low, high = -np.inf, np.inf
    for row in range(rows):
        place = at + row * ROW
        if code[place] != operation or code[place + 1] != variable:
            continue
        number, comparator = double_at(code, place + 2), code[place + 4] & 255
        width = _width(number, operation, code[place + 4])
        if comparator in (layout.EQUAL, layout.GREATER, layout.AT_LEAST):
            low = max(low, number - width)
        if comparator in (layout.EQUAL, layout.LESS, layout.AT_MOST):
            high = min(high, number + width)
    return low, high


@inner
def _width(number: float, operation: int, detail: int) -> float:
    """How far beyond its operand a row may reach: unknown zones, single precision."""
    if operation == layout.MOMENT:
        return _FOURTEEN_HOURS
    return abs(number) * 1e-6 if (detail >> 8) & OPERAND_SINGLE else 0.0


@inner
def _enter_best(programs: Programs, options: AnchorOptions, entries: IndexEntries, program: int, count: int) -> None:
    """Write the entry, or entries, of the least likely pair of anchor and guard."""
    anchor, guard, least = 0, NOBODY, np.inf
    for first in range(count):
        if options.words[first, _TAG] == 0:
            continue
        share = options.weights[first, _SHARE]
        # An anchor is found by hashing, a guard by searching: what is as rare alone stands alone.
        if share <= least:
            anchor, guard, least = first, NOBODY, share
        for second in range(count):
            if not _guards(options, first, second):
                continue
            both = share * options.weights[second, _SHARE]
            if both < least:
                anchor, guard, least = first, second, both
    _enter(programs, options, entries, program, anchor, guard)


@inner
def _guards(options: AnchorOptions, first: int, second: int) -> bool:
    """Whether the second adds anything to the first: a pattern is no guard of itself, but its value is."""
    guard = options.words[second, _GUARD]
    if first == second or guard == layout.UNGUARDED:
        return False
    same = options.words[first, _PATTERN] == options.words[second, _PATTERN]
    return bool(guard >= layout.HAS_VALUE or not same)


@inner
def _enter(
    programs: Programs, options: AnchorOptions, entries: IndexEntries, program: int, anchor: int, guard: int
) -> None:
    row = options.words[anchor]
    if row[_TAG] != _MEMBERS:
        _write(options, entries, program, anchor_key(row[_TAG], row[_A], row[_B]), guard)
        return
    place = row[_PLACE]
    for index in range(1, programs.code[place + 2] + 1):
        member = programs.code[place + index * ROW + 2]
        _write(options, entries, program, anchor_key(layout.PREDICATE_OBJECT, row[_A], member), guard)


@inner
def _write(options: AnchorOptions, entries: IndexEntries, program: int, key: int, guard: int) -> None:
    at = entries.counts[0]
    words, bounds = entries.words[at], entries.bounds[at]
    words[0], words[1], words[2], words[3], words[4] = key, layout.UNGUARDED, -2, NOBODY, program
    bounds[0], bounds[1] = 0.0, 0.0
    if guard != NOBODY:
        words[1], words[2], words[3] = (
            options.words[guard, _GUARD],
            options.words[guard, _PREDICATE],
            options.words[guard, _OBJECT],
        )
        bounds[0], bounds[1] = options.weights[guard, _LOW], options.weights[guard, _HIGH]
    entries.counts[0] = at + 1
