"""Where events go: the parts that one of their quads leads to.

A route is a key and a part, twelve bytes for the anchor of a subscription, so the whole table is a small fraction of
the index. Most quads lead nowhere: a table of flags turns them away before anything is searched.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from triplewire.pipeline.strategies.fingerprints import Quads
from triplewire.pipeline.strategies.keys import Keys, keys_of
from triplewire.pipeline.strategies.partitions import Partitioning

_FLAGS_A_KEY = 8
_FEWEST_FLAGS = 1 << 10

Integers = NDArray[np.int64]


class Routes(Struct, frozen=True, eq=False):
    """Sorted keys, the part that each leads to, and the parts that every event visits."""

    keys: Keys
    parts: NDArray[np.int32]
    masks: tuple[int, ...]
    open_parts: tuple[int, ...]
    known: NDArray[np.bool_]
    total: int

    def of(self, quads: Quads) -> tuple[Integers, Integers]:
        """Pairs of a row and a part, each once, by row."""
        found = [self._led(keys_of(mask, quads.fingerprints), quads.rows) for mask in self.masks]
        found.extend(np.arange(quads.total) * self.total + part for part in self.open_parts)
        pairs = np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)
        return pairs // self.total, pairs % self.total

    def _led(self, keys: Keys, rows: Integers) -> Integers:
        """One number for each row and part that a key leads to."""
        maybe = self.known[keys & (self.known.size - 1)]
        keys, rows = keys[maybe], rows[maybe]
        first = np.searchsorted(self.keys, keys, "left")
        counts = np.searchsorted(self.keys, keys, "right") - first
        places = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        return np.asarray(np.repeat(rows, counts) * self.total + self.parts[places], np.int64)


def routes_of(filing: Partitioning, total: int) -> Routes:
    """The routes of a filing into `total` parts."""
    size = 1 << (_FLAGS_A_KEY * filing.keys.size + _FEWEST_FLAGS - 1).bit_length()
    known = np.zeros(size, np.bool_)
    known[filing.keys & (size - 1)] = True
    return Routes(filing.keys, filing.parts, filing.masks, filing.open_parts, known, total)
