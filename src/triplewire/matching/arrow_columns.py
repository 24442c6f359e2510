"""A batch's matches as Arrow arrays, made from the kernels' columns without an object per term.

Matches of one shape have the same variables, so that everything about them is arithmetic on whole columns; only answers
that must be told apart (DISTINCT with more than one solution) are looked at one by one.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from triplewire.matching.kernels.columns import END, START
from triplewire.matching.kernels.machine import Bytes, Table
from triplewire.matching.kernels.scan.canonical import gather
from triplewire.matching.scanning.scanner import ScanResult
from triplewire.matching.segments.records import Strings
from triplewire.matching.segments.search import (
    MATCH_SOLUTIONS,
    MATCH_SUBSCRIPTION,
    MATCH_WIDTH,
    MATCH_WORD,
    SegmentMatches,
)
from triplewire.matching.segments.shapes import ASK, DISTINCT, SolutionShape

SOLUTIONS = pa.list_(pa.map_(pa.string(), pa.string()))

_Numbers = NDArray[np.int64]


def strings(offsets: NDArray[np.int32], data: Bytes) -> pa.StringArray:
    """UTF-8 strings laid end to end, as Arrow."""
    return pa.StringArray.from_buffers(offsets.size - 1, pa.py_buffer(offsets), pa.py_buffer(data))


def spans(buffer: Bytes, starts: Table, ends: Table) -> pa.StringArray:
    """The text between each start and end."""
    return strings(*gather(buffer, np.ascontiguousarray(starts), np.ascontiguousarray(ends)))


def chosen(table: Strings, numbers: _Numbers) -> pa.StringArray:
    """The strings of these numbers."""
    return spans(np.ascontiguousarray(table.arena), table.offsets[numbers], table.offsets[numbers + 1])


def solutions(scanned: ScanResult, found: SegmentMatches) -> pa.ListArray:
    """The solutions of every match that the kernels decided, in the order of the matches."""
    shape_of = found.segment.records.shape_of[found.matches[:, MATCH_SUBSCRIPTION]]
    parts, places = [], []
    for number in np.unique(shape_of).tolist():
        place = np.flatnonzero(shape_of == number)
        parts.append(_of_one_shape(scanned, found, found.matches[place], found.segment.shapes[number]))
        places.append(place)
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return pa.array([], SOLUTIONS)
    return pa.concat_arrays(parts).take(pa.array(np.argsort(np.concatenate(places), kind="stable")))


def _of_one_shape(scanned: ScanResult, found: SegmentMatches, matches: Table, shape: SolutionShape) -> pa.ListArray:
    if shape.form == ASK:
        return _lists(np.ones(len(matches), np.int64), (), pa.array([], pa.string()))
    counts = matches[:, MATCH_SOLUTIONS]
    owner = np.repeat(np.arange(len(matches)), counts)
    ordinal = np.arange(owner.size) - np.repeat(np.cumsum(counts) - counts, counts)
    words = matches[owner, MATCH_WORD] + ordinal * matches[owner, MATCH_WIDTH]
    origins = found.solutions[words[:, None] + np.array(shape.columns, np.int64)[None, :]]
    if shape.form == DISTINCT and counts.max(initial=0) > 1:
        keep = _first_of_each(scanned, origins, owner, counts)
        origins, counts = origins[keep], np.bincount(owner[keep], minlength=len(matches))
    return _lists(counts, shape.names, _terms(scanned, origins.ravel()))


def _first_of_each(scanned: ScanResult, origins: Table, owner: _Numbers, counts: _Numbers) -> NDArray[np.bool_]:
    """Which solutions of a match are not a repetition of an earlier one of it."""
    keep = np.ones(owner.size, np.bool_)
    seen: set[tuple[int, tuple[bytes, ...]]] = set()
    for place in np.flatnonzero(counts[owner] > 1).tolist():
        answer = int(owner[place]), tuple(_term(scanned, origin) for origin in origins[place].tolist())
        keep[place] = answer not in seen
        seen.add(answer)
    return keep


def _term(scanned: ScanResult, origin: int) -> bytes:
    row, column = scanned.quads[origin >> 2], 3 * (origin & 3)
    return scanned.data[row[column + START] : row[column + END]]


def _terms(scanned: ScanResult, origins: _Numbers) -> pa.StringArray:
    quad, column = origins >> 2, 3 * (origins & 3)
    return spans(scanned.buffer, scanned.quads[quad, column + START], scanned.quads[quad, column + END])


def _lists(counts: _Numbers, names: tuple[str, ...], values: pa.StringArray) -> pa.ListArray:
    """A list of maps for each count; every map has the same names."""
    total = int(counts.sum())
    keys = pa.array(names, pa.string()).take(pa.array(np.tile(np.arange(len(names)), total)))
    map_starts = pa.array(np.arange(total + 1, dtype=np.int32) * np.int32(len(names)))
    maps = pa.MapArray.from_arrays(map_starts, keys, values)
    list_starts = np.zeros(counts.size + 1, np.int32)
    np.cumsum(counts, out=list_starts[1:])
    return pa.ListArray.from_arrays(pa.array(list_starts), maps)
