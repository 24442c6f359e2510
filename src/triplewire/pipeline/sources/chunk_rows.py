"""What is in a scanned chunk: rows of sound events in canonical text, and a reject for everything else."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from triplewire.matching.arrow_columns import spans
from triplewire.matching.kernels.columns import END, EVENT_GRAPH, EVENT_REJECTED, START
from triplewire.matching.kernels.scan.canonical import canonical_events
from triplewire.matching.scanning.scanner import ScanError, ScanResult
from triplewire.pipeline.rows import EVENT_SCHEMA
from triplewire.pipeline.sources.event_times import event_times
from triplewire.pipeline.sources.split_reader import LocatedChunk, Reject
from triplewire.pipeline.sources.splits import Split


def event_rows(scanned: ScanResult, split: Split) -> pa.Table:
    """The sound events."""
    offsets, data = canonical_events(scanned.buffer, scanned.quads, scanned.events)
    payloads = pa.BinaryArray.from_buffers(pa.binary(), len(scanned), [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    sound = scanned.events[:, EVENT_REJECTED] == 0
    events = scanned.events[sound]
    names = spans(scanned.buffer, events[:, EVENT_GRAPH + START] + 1, events[:, EVENT_GRAPH + END] - 1)
    count = len(events)
    times = event_times(scanned, split.options.event_time, split.modified).take(pa.array(np.flatnonzero(sound)))
    kept = payloads if count == len(scanned) else payloads.take(pa.array(np.flatnonzero(sound)))
    return pa.Table.from_arrays([names, pa.repeat(split.path, count), times, kept], schema=EVENT_SCHEMA)


def rejects_of(batch: LocatedChunk, scanned: ScanResult) -> list[Reject]:
    """A reject for every broken line, and for every event that is too large."""
    return [batch.reject(error.line, _name(scanned, error.event), _reason(error)) for error in scanned.errors]


def _reason(error: ScanError) -> str:
    return f"column {error.column}: {error.message}" if error.column else error.message


def _name(scanned: ScanResult, event: int) -> str | None:
    return scanned.graph(event)[1:-1].decode(errors="replace") or None
