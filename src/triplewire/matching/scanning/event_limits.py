"""Events beyond the limits are rejected one by one: the rest of a document does not suffer for them."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from triplewire.matching.kernels.columns import (
    END,
    EVENT_FIRST,
    EVENT_LINE,
    EVENT_REJECTED,
    FRESH,
    QUAD_STATE,
    START,
    G,
    O,
    P,
    S,
)
from triplewire.matching.kernels.scan.canonical import AROUND_TERMS
from triplewire.matching.scanning.scanner import ScanError, ScanResult
from triplewire.rdf.limits import Limits

Numbers = NDArray[np.int64]


def within(scanned: ScanResult, limits: Limits) -> ScanResult:
    """What was scanned, with events that are too large rejected, and an error for each of them."""
    if len(scanned.data) <= limits.event_bytes and len(scanned.quads) <= limits.quads:
        return scanned
    sizes, counts = _extents(scanned)
    large = (sizes > limits.event_bytes) | (counts > limits.quads)
    beyond = np.flatnonzero(large & (scanned.events[:, EVENT_REJECTED] == 0))
    if not beyond.size:
        return scanned
    events = scanned.events.copy()
    events[beyond, EVENT_REJECTED] = 1
    found = [_too_large(scanned, event, limits, int(sizes[event]), int(counts[event])) for event in beyond.tolist()]
    errors = sorted((*scanned.errors, *found), key=lambda error: error.line)
    return msgspec.structs.replace(scanned, events=events, errors=tuple(errors))


def _extents(scanned: ScanResult) -> tuple[Numbers, Numbers]:
    """The bytes and the quads of each event, as its canonical text has them."""
    quads, first = scanned.quads, scanned.events[:, EVENT_FIRST]
    fresh = quads[:, QUAD_STATE] == FRESH
    lengths = AROUND_TERMS + sum(quads[:, term + END] - quads[:, term + START] for term in (S, P, O, G))
    return np.add.reduceat(np.where(fresh, lengths, 0), first), np.add.reduceat(fresh.astype(np.int64), first)


def _too_large(scanned: ScanResult, event: int, limits: Limits, size: int, count: int) -> ScanError:
    wanted = f"wanted at most {limits.event_bytes:,} bytes and {limits.quads:,} quads"
    message = f"event too large: {wanted}, found {size:,} bytes and {count:,} quads"
    return ScanError(int(scanned.events[event, EVENT_LINE]), 0, message, event)
