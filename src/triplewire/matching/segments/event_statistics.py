"""What events look like: a small sample, kept as bytes, from which a segment's anchors are chosen."""

from __future__ import annotations

import threading
from collections import Counter

import numpy as np

from triplewire.matching.kernels import layout
from triplewire.matching.kernels.bytetable import ByteTable, find
from triplewire.matching.kernels.columns import END, EXACT, MOMENT, NUMBER_STATE, ROUNDED, START, ZONED, O, P
from triplewire.matching.kernels.hashing import hash_term
from triplewire.matching.kernels.index.anchor_keys import anchor_key
from triplewire.matching.kernels.likelihood import SeenEvents
from triplewire.matching.scanning.scanner import ScanResult

_SAMPLED_BATCHES = 256
_EVENTS_A_BATCH = 32
_MOST_PAIRS = 50_000
_MOST_VALUES = 512
_VALUED = (EXACT, ROUNDED, MOMENT, ZONED)

NOTHING_SEEN = SeenEvents(np.zeros(0, np.int64), np.zeros(0), np.zeros(1, np.int64), np.zeros(0))


class EventStatistics:
    """Counts predicates, and predicates with their objects, in a sample of the events that pass.

    The first batches are sampled, and then ever fewer, so that the cost vanishes and old habits fade slowly.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.events = 0
        self._batches = 0
        self._predicates: Counter[bytes] = Counter()
        self._pairs: Counter[tuple[bytes, bytes]] = Counter()
        self._values: dict[bytes, list[float]] = {}

    def sample(self, scanned: ScanResult) -> None:
        """Look at some events of a batch, if it is one of those that are looked at."""
        self._batches += 1
        if self._batches > _SAMPLED_BATCHES and self._batches & (self._batches - 1):
            return
        # A reader never waits: a sample more or less says nothing.
        if self._lock.acquire(blocking=False):
            try:
                self._sample(scanned)
            finally:
                self._lock.release()

    def _sample(self, scanned: ScanResult) -> None:
        step = max(1, len(scanned) // _EVENTS_A_BATCH)
        for event in range(0, len(scanned), step):
            if not scanned.rejected(event):
                self._see(scanned, event)

    def _see(self, scanned: ScanResult, event: int) -> None:
        self.events += 1
        pairs = set()
        rows = scanned.rows(event)
        # As lists: a number at a time, arrays are slow.
        for row, quad in zip(rows, scanned.quads[rows].tolist(), strict=True):
            predicate = scanned.data[quad[P + START] : quad[P + END]]
            pairs.add((predicate, scanned.data[quad[O + START] : quad[O + END]]))
            if quad[NUMBER_STATE] in _VALUED:
                self._keep_value(predicate, float(scanned.numbers[row]))
        self._predicates.update({predicate for predicate, _ in pairs})
        if len(self._pairs) < _MOST_PAIRS:
            self._pairs.update(pairs)

    def _keep_value(self, predicate: bytes, value: float) -> None:
        values = self._values.setdefault(predicate, [])
        if len(values) < _MOST_VALUES and value == value:
            values.append(value)

    def seen_by(self, constants: ByteTable, seed: int) -> SeenEvents:
        """The statistics in terms of a segment's constants."""
        with self._lock:
            return self._seen_by(constants, seed)

    def _seen_by(self, constants: ByteTable, seed: int) -> SeenEvents:
        if not self.events:
            return NOTHING_SEEN
        numbers = {term: number for term in self._terms() if (number := _number(constants, term, seed)) >= 0}
        shares = {
            anchor_key(layout.PREDICATE, numbers[p], 0): count / self.events
            for p, count in self._predicates.items()
            if p in numbers
        }
        shares |= {
            anchor_key(layout.PREDICATE_OBJECT, numbers[p], numbers[o]): count / self.events
            for (p, o), count in self._pairs.items()
            if p in numbers and o in numbers and count > 1
        }
        keys = np.array(sorted(shares), np.int64)
        starts, samples = self._samples(numbers, constants.hashes.size)
        return SeenEvents(keys, np.array([shares[key] for key in keys.tolist()]), starts, samples)

    def _terms(self) -> set[bytes]:
        return set(self._predicates) | {thing for _, thing in self._pairs}

    def _samples(self, numbers: dict[bytes, int], constants: int) -> tuple[np.ndarray, np.ndarray]:
        by_number = {numbers[p]: sorted(values) for p, values in self._values.items() if p in numbers}
        lengths = np.zeros(constants, np.int64)
        for number, values in by_number.items():
            lengths[number] = len(values)
        starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        return starts, np.array([value for number in sorted(by_number) for value in by_number[number]], np.float64)


def _number(constants: ByteTable, term: bytes, seed: int) -> int:
    return find(constants, np.frombuffer(term, np.uint8), 0, len(term), hash_term(term, seed))
