"""Match a column of payloads at once: one buffer, one call of the matcher, and every answer led back to its row.

The scanner takes adjacent lines of one graph for one event. Rows are events of their own, even if two neighbours carry
the same graph, so a column in which that happens is cut between them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct
from numpy.typing import NDArray

from triplewire.errors import InputError
from triplewire.matching.batch import MatchBatch
from triplewire.matching.kernels.columns import EVENT_LAST, EVENT_LINE, QUAD_LINE
from triplewire.matching.matcher import Matcher
from triplewire.pipeline.rows import MATCH_SCHEMA

_LINE_FEED = 10

Numbers = NDArray[np.int64]


class BadRow(Struct, frozen=True):
    """A row that holds no sound event. `line` counts from 1, in the payload."""

    row: int
    line: int
    reason: str


class MatchedRows(Struct, frozen=True):
    """Matches, each with the number of its row, and the rows that could not be matched."""

    matches: pa.Table
    rows: Numbers
    bad: list[BadRow]


def match_batch(matcher: Matcher, batch: pa.RecordBatch) -> pa.Table:
    """The matches of a batch of rows of events. Raises `InputError` for a payload that is no sound event."""
    found = match_payloads(matcher, batch.column("payload"))
    if found.bad:
        bad = found.bad[0]
        name = batch.column("event")[bad.row].as_py()
        raise InputError(f"payload line {bad.line}: {bad.reason}", source=f"event {name}")
    return match_rows(found.matches, batch.column("time").take(pa.array(found.rows)))


def match_rows(matches: pa.Table, times: pa.Array) -> pa.Table:
    """Matches of the matcher, with the time of each event, as rows."""
    columns = [
        matches["subscription"],
        matches["event"],
        times.cast(MATCH_SCHEMA.field("time").type),
        matches["solutions"],
        matches["lane"],
    ]
    return pa.Table.from_arrays(columns, schema=MATCH_SCHEMA)


def match_payloads(matcher: Matcher, payloads: pa.BinaryArray) -> MatchedRows:
    """Match every row of a column of N-Quads."""
    parts = list(_parts(matcher, payloads.cast(pa.binary()), 0))
    tables = [part.matches for part in parts]
    rows = np.concatenate([part.rows for part in parts]) if parts else np.zeros(0, np.int64)
    return MatchedRows(pa.concat_tables(tables), rows, [bad for part in parts for bad in part.bad])


def _parts(matcher: Matcher, payloads: pa.BinaryArray, first: int) -> Iterator[MatchedRows]:
    text, starts = joined(payloads)
    batch = matcher.match_nquads(text)
    begins, ends = _rows_of_events(batch, starts)
    crossed = np.unique(ends[begins != ends])
    if not crossed.size:
        yield _led_back(batch, begins, starts, first)
        return
    for low, high in zip([0, *crossed.tolist()], [*crossed.tolist(), len(payloads)], strict=True):
        yield from _parts(matcher, payloads.slice(low, high - low), first + low)


def joined(payloads: pa.BinaryArray) -> tuple[bytes, Numbers]:
    """All payloads in one text, each ended by a line feed, and the number of each row's first line, from 1."""
    payloads = payloads.fill_null(b"")
    text, offsets = _flat(payloads)
    lengths = np.diff(offsets)
    ended = text[np.maximum(offsets[1:] - 1, 0)] == _LINE_FEED if text.size else np.ones(0, np.bool_)
    if text.size and not bool((ended | (lengths == 0)).all()):
        text, offsets = _flat(pc.binary_join_element_wise(payloads, pa.scalar(b"", pa.binary()), b"\n"))
    feeds = np.flatnonzero(text == _LINE_FEED)
    return text.tobytes(), np.searchsorted(feeds, offsets[:-1]) + 1


def _flat(payloads: pa.BinaryArray) -> tuple[NDArray[np.uint8], Numbers]:
    _, offsets_buffer, data = payloads.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int32, len(payloads) + 1, payloads.offset * 4).astype(np.int64)
    first, last = int(offsets[0]), int(offsets[-1])
    text = np.frombuffer(data, np.uint8)[first:last] if data is not None else np.zeros(0, np.uint8)
    return text, offsets - first


def _rows_of_events(batch: MatchBatch, starts: Numbers) -> tuple[Numbers, Numbers]:
    """The row in which each event begins, and the one in which it ends."""
    events, quads = batch.scanned.events, batch.scanned.quads
    last_lines = quads[events[:, EVENT_LAST] - 1, QUAD_LINE]
    return _row_of(events[:, EVENT_LINE], starts), _row_of(last_lines, starts)


def _row_of(lines: Numbers, starts: Numbers) -> Numbers:
    return np.searchsorted(starts, lines, side="right") - 1


def _led_back(batch: MatchBatch, rows_of_events: Numbers, starts: Numbers, first: int) -> MatchedRows:
    table = batch.to_arrow()
    rows = rows_of_events[table["event_index"].to_numpy()]
    bad = [_bad_row(error.line, error.message, starts, first) for error in batch.errors]
    without = np.setdiff1d(np.arange(starts.size), rows_of_events)
    bad += [BadRow(first + row, 1, "wanted at least one quad, found none") for row in without.tolist()]
    return MatchedRows(table.drop_columns(["event_index"]), rows + first, bad)


def _bad_row(line: int, message: str, starts: Numbers, first: int) -> BadRow:
    row = int(np.searchsorted(starts, line, side="right")) - 1
    return BadRow(first + row, line - int(starts[row]) + 1, message)
