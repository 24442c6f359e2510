"""What a task sees of a batch of events: the fingerprints of all quads, and the row that each quad stands in."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from triplewire.errors import InputError
from triplewire.matching.kernels.columns import HASH, QUAD_LINE, O, P, S
from triplewire.matching.scanning.scanner import scan
from triplewire.pipeline.payloads import joined
from triplewire.pipeline.strategies.keys import Keys


class Quads(Struct, frozen=True, eq=False):
    """The quads of some events, as fingerprints; `rows[i]` is the row of quad `i`, `total` the number of rows."""

    subjects: Keys
    predicates: Keys
    objects: Keys
    rows: NDArray[np.int64]
    total: int

    @property
    def fingerprints(self) -> tuple[Keys, Keys, Keys]:
        return self.subjects, self.predicates, self.objects


def quads_in(batch: pa.RecordBatch, seed: int) -> Quads:
    """Scan a batch of event rows in one go.

    Whatever the strategy, a payload that is no sound event fails the query. An event that leads nowhere is matched by
    nobody, so its payload is judged here.
    """
    text, starts = joined(batch.column("payload").cast(pa.binary()))
    scanned = scan(text, seed)
    rows = np.searchsorted(starts, scanned.quads[:, QUAD_LINE], side="right") - 1
    for error in scanned.errors:
        row = int(np.searchsorted(starts, error.line, side="right")) - 1
        raise _unsound(batch, row, error.line - int(starts[row]) + 1, error.message)
    for row in np.setdiff1d(np.arange(len(batch)), rows).tolist():
        raise _unsound(batch, row, 1, "wanted at least one quad, found none")
    subjects, predicates, objects = (np.ascontiguousarray(scanned.quads[:, term + HASH]) for term in (S, P, O))
    return Quads(subjects, predicates, objects, rows, len(batch))


def _unsound(batch: pa.RecordBatch, row: int, line: int, reason: str) -> InputError:
    return InputError(f"payload line {line}: {reason}", source=f"event {batch.column('event')[row].as_py()}")
