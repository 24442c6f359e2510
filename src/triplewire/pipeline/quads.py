"""From rows of events to rows of quads, terms in N-Triples spelling, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa

from triplewire.matching.arrow_columns import spans
from triplewire.matching.kernels.columns import END, FRESH, QUAD_LINE, QUAD_STATE, START, G, O, P, S
from triplewire.matching.scanning.scanner import scan
from triplewire.pipeline.payloads import joined
from triplewire.pipeline.progress import Counts, TaskProgress
from triplewire.pipeline.storage.location import Location

QUAD_COLUMNS = "subject string, predicate string, object string, event string, run string, batch long"
_NAMES = ("subject", "predicate", "object", "event", "run", "batch")


def exploding(progress_folder: Location | str | None) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """`explode_quads`, in tasks that write their progress into a folder."""

    def explode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        progress = TaskProgress(progress_folder)
        for batch in batches:
            yield from explode_quads([batch])
            progress.add(Counts(events=len(batch), bytes=batch.column("payload").nbytes))

    return explode


def explode_quads(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Every quad of every payload, with the event's `run` and `batch` beside it."""
    for batch in batches:
        text, starts = joined(batch.column("payload"))
        scanned = scan(text)
        fresh = scanned.quads[scanned.quads[:, QUAD_STATE] == FRESH]
        columns = [spans(scanned.buffer, fresh[:, term + START], fresh[:, term + END]) for term in (S, P, O)]
        names = spans(scanned.buffer, fresh[:, G + START] + 1, fresh[:, G + END] - 1)
        rows = np.searchsorted(starts, fresh[:, QUAD_LINE], side="right") - 1
        commits = [batch.column(name).take(pa.array(rows)) for name in ("run", "batch")]
        yield pa.RecordBatch.from_arrays([*columns, names, *commits], names=_NAMES)
