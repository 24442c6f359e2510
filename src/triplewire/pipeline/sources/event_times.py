"""The time of each event of a scanned chunk: what one of its properties says, or else its file's time.

The scanner has read plain dates and times already, as seconds; fractions of seconds, years and the like are read here,
one by one. A date without a zone counts as UTC. Of several values the earliest counts.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from triplewire.matching.kernels.columns import (
    END,
    ESCAPED,
    FRESH,
    LEXICAL_END,
    LEXICAL_START,
    MOMENT,
    NUMBER_STATE,
    OBJECT_KIND,
    QUAD_EVENT,
    QUAD_STATE,
    START,
    TAG_END,
    TAG_START,
    TYPED,
    ZONED,
    P,
)
from triplewire.matching.scanning.scanner import ScanResult
from triplewire.pipeline.rows import MOMENT as MOMENT_TYPE
from triplewire.rdf.literals.dates import DAY, PATTERNS, SECOND, days_before, parse_moment
from triplewire.rdf.terms import XSD

_MICROSECOND = SECOND // 1_000_000
_EPOCH_INSTANT = days_before(1970, 1) * DAY
_DAY_ZERO = datetime(1970, 1, 1, tzinfo=UTC)
# The years 1 to 9999, which Python and Spark can show.
_FIRST = (datetime.min.replace(tzinfo=UTC) - _DAY_ZERO) // timedelta(microseconds=1)
_LAST = (datetime.max.replace(tzinfo=UTC) - _DAY_ZERO) // timedelta(microseconds=1)
_NONE = np.iinfo(np.int64).max

Micros = NDArray[np.int64]
Rows = NDArray[np.int64]


def event_times(scanned: ScanResult, predicate: str | None, otherwise: datetime) -> pa.Array:
    """A time for each event, also for rejected ones; `otherwise` where the predicate has no date or time."""
    default = (otherwise - _DAY_ZERO) // timedelta(microseconds=1)
    found = np.full(len(scanned), _NONE, np.int64)
    if predicate is not None:
        rows = _rows_of(scanned, f"<{predicate}>".encode())
        np.minimum.at(found, scanned.quads[rows, QUAD_EVENT], _moments(scanned, rows))
    return pa.array(np.where(found == _NONE, default, found)).cast(MOMENT_TYPE)


def _rows_of(scanned: ScanResult, predicate: bytes) -> Rows:
    """The quads that have this predicate, as it was written."""
    quads, size = scanned.quads, len(predicate)
    fitting = (quads[:, QUAD_STATE] == FRESH) & (quads[:, OBJECT_KIND] == TYPED)
    rows: Rows = np.flatnonzero(fitting & (quads[:, P + END] - quads[:, P + START] == size))
    letters = scanned.buffer[quads[rows, P + START][:, None] + np.arange(size)]
    same = (letters == np.frombuffer(predicate, np.uint8)).all(axis=1)
    return np.asarray(rows[same], np.int64)


def _moments(scanned: ScanResult, rows: Rows) -> Micros:
    """The microseconds since 1970 that the objects of these quads name."""
    states = scanned.quads[rows, NUMBER_STATE]
    plain = (states == MOMENT) | (states == ZONED)
    seconds = np.where(plain, scanned.numbers[rows], 0.0).astype(np.int64) - _EPOCH_INSTANT // SECOND
    found = np.where(plain, seconds * 1_000_000, _NONE)
    for place in np.flatnonzero(~plain).tolist():
        found[place] = _exact(scanned, int(rows[place]))
    return np.where((found >= _FIRST) & (found <= _LAST), found, _NONE)


def _exact(scanned: ScanResult, row: int) -> int:
    quad = scanned.quads[row]
    datatype = scanned.buffer[quad[TAG_START] : quad[TAG_END]].tobytes().decode()
    pattern = PATTERNS.get(datatype.removeprefix(str(XSD)))
    if quad[ESCAPED] or pattern is None or "year" not in pattern.groupindex:
        return _NONE
    moment = parse_moment(pattern, scanned.buffer[quad[LEXICAL_START] : quad[LEXICAL_END]].tobytes().decode())
    if moment is None:
        return _NONE
    micros = (moment.instant - _EPOCH_INSTANT) // _MICROSECOND
    return micros if _FIRST <= micros <= _LAST else _NONE
