"""What is in a scanned chunk: rows of sound events in canonical text, and a reject for everything else."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from triplewire.matching.arrow import spans
from triplewire.matching.kernels.canonical import canonical_events
from triplewire.matching.kernels.columns import (
    END,
    EVENT_FIRST,
    EVENT_GRAPH,
    EVENT_LAST,
    EVENT_LINE,
    EVENT_REJECTED,
    START,
)
from triplewire.matching.scanner import ScanResult
from triplewire.pipeline.rows import EVENT_SCHEMA, MOMENT
from triplewire.pipeline.sources.reading import Batch, Reject
from triplewire.pipeline.sources.splits import Split
from triplewire.rdf.limits import DEFAULT_LIMITS


def event_rows(scanned: ScanResult, split: Split, batch: Batch) -> tuple[pa.Table, dict[int, Reject]]:
    """The sound events, and those that are beyond the limits, by their number in the chunk."""
    offsets, data = canonical_events(scanned.buffer, scanned.quads, scanned.events)
    payloads = pa.BinaryArray.from_buffers(pa.binary(), len(scanned), [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    large = _beyond_limits(scanned, offsets)
    sound = (scanned.events[:, EVENT_REJECTED] == 0) & ~large
    events = scanned.events[sound]
    names = spans(scanned.buffer, events[:, EVENT_GRAPH + START] + 1, events[:, EVENT_GRAPH + END] - 1)
    count = len(events)
    times = pa.repeat(pa.scalar(split.modified, MOMENT), count)
    kept = payloads if count == len(scanned) else payloads.take(pa.array(np.flatnonzero(sound)))
    rows = pa.Table.from_arrays([names, pa.repeat(split.path, count), times, kept], schema=EVENT_SCHEMA)
    return rows, {event: _oversized(batch, scanned, event) for event in np.flatnonzero(large).tolist()}


def rejects_of(batch: Batch, scanned: ScanResult) -> list[Reject]:
    """A reject for every broken line."""
    return [
        batch.reject(error.line, _name(scanned, error.event), f"column {error.column}: {error.message}")
        for error in scanned.errors
    ]


def _beyond_limits(scanned: ScanResult, offsets: NDArray[np.int32]) -> NDArray[np.bool_]:
    quads = scanned.events[:, EVENT_LAST] - scanned.events[:, EVENT_FIRST]
    many = (np.diff(offsets) > DEFAULT_LIMITS.event_bytes) | (quads > DEFAULT_LIMITS.quads)
    large: NDArray[np.bool_] = many & (scanned.events[:, EVENT_REJECTED] == 0)
    return large


def _oversized(batch: Batch, scanned: ScanResult, event: int) -> Reject:
    limits = f"{DEFAULT_LIMITS.event_bytes:,} bytes and {DEFAULT_LIMITS.quads:,} quads"
    line = int(scanned.events[event, EVENT_LINE])
    return batch.reject(line, _name(scanned, event), f"event too large: wanted at most {limits}, found more")


def _name(scanned: ScanResult, event: int) -> str | None:
    return scanned.graph(event)[1:-1].decode(errors="replace") or None
