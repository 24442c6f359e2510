"""Events in their canonical text: each quad once, one a line, sorted.

Most text arrives that way, and is only copied. `gather` lays any spans end to end, as Arrow wants them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from triplewire.matching.kernels.columns import (
    END,
    EVENT_FIRST,
    EVENT_LAST,
    EVENT_REJECTED,
    FRESH,
    QUAD_STATE,
    START,
    G,
    O,
    P,
    S,
)
from triplewire.matching.kernels.machine import Bytes, Table, byte_at, copy_bytes, inner, kernel, word_at

Offsets = NDArray[np.int32]

_SPACE, _DOT, _LINE_FEED = 0x20, 0x2E, 0x0A
# Between and after a line's four terms: three spaces, then a space, a dot and a line feed.
AROUND_TERMS = 6
_AFTER_GRAPH = 3


@kernel
def canonical_events(buffer: Bytes, quads: Table, events: Table) -> tuple[Offsets, Bytes]:
    """The N-Quads of every event, each quad once, sorted. A rejected event's text is empty."""
    offsets, longest = _sizes(quads, events)
    data = np.empty(offsets[-1], np.uint8)
    lines = np.empty((longest, 2), np.int64)
    order, spare = np.empty(longest, np.int64), np.empty(longest, np.int64)
    text = np.empty(_longest_text(offsets), np.uint8)
    for event in range(len(events)):
        if offsets[event] == offsets[event + 1]:
            continue
        place = offsets[event]
        if _is_canonical(buffer, quads, events, event):
            copy_bytes(buffer, quads[events[event, EVENT_FIRST], S + START], data, place, offsets[event + 1] - place)
            continue
        count = _write_lines(buffer, quads, events, event, text, lines)
        _sort_lines(text, lines, count, order, spare)
        for rank in range(count):
            start, end = lines[order[rank], 0], lines[order[rank], 1]
            copy_bytes(text, start, data, place, end - start)
            place += end - start
    return offsets, data


@inner
def _is_canonical(buffer: Bytes, quads: Table, events: Table, event: int) -> bool:
    """Whether the event's text can be taken as it stands: every line spelled and ended as ours are, and in order."""
    first, last = events[event, EVENT_FIRST], events[event, EVENT_LAST]
    for row in range(first, last):
        if not _is_plain(buffer, quads, row):
            return False
        if row > first and not _follows(buffer, quads, row):
            return False
    return True


@inner
def _is_plain(buffer: Bytes, quads: Table, row: int) -> bool:
    end = quads[row, G + END]
    return bool(
        quads[row, QUAD_STATE] == FRESH
        and quads[row, P + START] == quads[row, S + END] + 1
        and quads[row, O + START] == quads[row, P + END] + 1
        and quads[row, G + START] == quads[row, O + END] + 1
        and byte_at(buffer, quads[row, S + END]) == _SPACE
        and byte_at(buffer, quads[row, P + END]) == _SPACE
        and byte_at(buffer, quads[row, O + END]) == _SPACE
        and byte_at(buffer, end) == _SPACE
        and byte_at(buffer, end + 1) == _DOT
        and byte_at(buffer, end + 2) == _LINE_FEED
    )


@inner
def _follows(buffer: Bytes, quads: Table, row: int) -> bool:
    """Whether a plain line stands right behind the one before, and belongs there."""
    before, here = quads[row - 1, S + START], quads[row, S + START]
    if here != quads[row - 1, G + END] + _AFTER_GRAPH:
        return False
    return _before(buffer, before, here, here, quads[row, G + END] + _AFTER_GRAPH)


@inner
def _sizes(quads: Table, events: Table) -> tuple[Offsets, int]:
    offsets = np.zeros(len(events) + 1, np.int32)
    longest = 0
    for event in range(len(events)):
        size = 0
        first, last = events[event, EVENT_FIRST], events[event, EVENT_LAST]
        if not events[event, EVENT_REJECTED]:
            longest = max(longest, last - first)
            for row in range(first, last):
                if quads[row, QUAD_STATE] == FRESH:
                    size += _line_size(quads, row)
        offsets[event + 1] = offsets[event] + size
    return offsets, longest


@inner
def _line_size(quads: Table, row: int) -> int:
    size = AROUND_TERMS
    for term in (S, P, O, G):
        size += quads[row, term + END] - quads[row, term + START]
    return size


@inner
def _longest_text(offsets: Offsets) -> int:
    longest = 0
    for event in range(offsets.size - 1):
        longest = max(longest, offsets[event + 1] - offsets[event])
    return longest


@inner
def _write_lines(buffer: Bytes, quads: Table, events: Table, event: int, text: Bytes, lines: Table) -> int:
    """The event's lines in the order of its rows: their text, and where each begins and ends in it."""
    place = count = 0
    for row in range(events[event, EVENT_FIRST], events[event, EVENT_LAST]):
        if quads[row, QUAD_STATE] != FRESH:
            continue
        lines[count, 0] = place
        for term in (S, P, O, G):
            start, end = quads[row, term + START], quads[row, term + END]
            copy_bytes(buffer, start, text, place, end - start)
            place += end - start
            text[place] = _SPACE
            place += 1
        text[place], text[place + 1] = _DOT, _LINE_FEED
        place += 2
        lines[count, 1] = place
        count += 1
    return count


@inner
def _sort_lines(text: Bytes, lines: Table, count: int, order: Table, spare: Table) -> None:
    """Merge sort, from runs of one line upwards: what is sorted already costs one comparison a line."""
    for line in range(count):
        order[line] = line
    width = 1
    while width < count and not _sorted(text, lines, count, order):
        for low in range(0, count, 2 * width):
            _merge(text, lines, order, spare, low, min(low + width, count), min(low + 2 * width, count))
        for line in range(count):
            order[line] = spare[line]
        width *= 2


@inner
def _sorted(text: Bytes, lines: Table, count: int, order: Table) -> bool:
    for rank in range(1, count):  # noqa: SIM110  a generator is no kernel
        if _less(text, lines, order[rank], order[rank - 1]):
            return False
    return True


@inner
def _merge(text: Bytes, lines: Table, order: Table, spare: Table, low: int, middle: int, high: int) -> None:
    left, right = low, middle
    for place in range(low, high):
        if left < middle and (right >= high or not _less(text, lines, order[right], order[left])):
            spare[place] = order[left]
            left += 1
        else:
            spare[place] = order[right]
            right += 1


@inner
def _less(text: Bytes, lines: Table, a: int, b: int) -> bool:
    return _before(text, lines[a, 0], lines[a, 1], lines[b, 0], lines[b, 1])


@inner
def _before(text: Bytes, first: int, first_end: int, second: int, second_end: int) -> bool:
    """Whether one span of bytes sorts before another."""
    while first + 8 <= first_end and second + 8 <= second_end and word_at(text, first) == word_at(text, second):
        first += 8
        second += 8
    while first < first_end and second < second_end:
        x, y = byte_at(text, first), byte_at(text, second)
        if x != y:
            return bool(x < y)
        first += 1
        second += 1
    return bool(first == first_end and second < second_end)


@kernel
def gather(buffer: Bytes, starts: Table, ends: Table) -> tuple[Offsets, Bytes]:
    """The bytes of every span, one after the other; string `i` is `data[offsets[i]:offsets[i + 1]]`."""
    offsets = np.zeros(starts.size + 1, np.int32)
    for index in range(starts.size):
        offsets[index + 1] = offsets[index] + (ends[index] - starts[index])
    data = np.empty(offsets[-1], np.uint8)
    for index in range(starts.size):
        copy_bytes(buffer, starts[index], data, offsets[index], ends[index] - starts[index])
    return offsets, data
