"""Which part of the index a subscription lives in, and which keys lead an event there.

Every subscription lives in exactly one part, whatever it is made of; each of its cores has one key, and all of those
keys lead to that part. So no two parts can notify of the same match, and there are no duplicates to remove afterwards.
Subscriptions that no constant leads to are open: they live in parts of their own, which every event visits.

A route is a key and a part, twelve bytes for the anchor of a subscription, so the table of routes is a small fraction
of the index. Most quads lead nowhere: a table of flags turns them away before anything is searched.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import InputError
from triplewire.matching.chains.anchors import anchors_of
from triplewire.pipeline.strategies.fingerprints import PREDICATE, Keys, Quads, key_of, keys_of, mask_of

_FLAGS_A_KEY = 8
_FEWEST_FLAGS = 1 << 10

Integers = NDArray[np.int64]
Option = tuple[int, int]
"""A key and its mask."""

Options = tuple[tuple[Option, ...], ...]
"""For each core of a subscription, the keys that it could have."""


class Partitioning(Struct, frozen=True, eq=False):
    """The part of each subscription, the routes (sorted by key), the masks in use, and the parts that are open."""

    part_of: NDArray[np.int32]
    keys: Keys
    parts: NDArray[np.int32]
    masks: tuple[int, ...]
    open_parts: tuple[int, ...]


def partitioned(options: Sequence[Options], parts: int) -> Partitioning:
    """Distribute subscriptions over a number of parts of about the same size."""
    if parts < 1:
        raise InputError(wanted="at least one part", found=str(parts))
    demand = Counter(key for cores in options for core in cores for key, _ in core)
    chosen = [tuple(_rarest(core, demand) for core in cores) if all(cores) else None for cores in options]
    opened = [number for number, keys in enumerate(chosen) if keys is None]
    free = _open_count(len(opened), len(options), parts)
    part_of = np.zeros(len(options), np.int32)
    part_of[opened] = parts - free + np.arange(len(opened)) % max(free, 1)
    _spread(_by_home(chosen), parts - free, part_of)
    routes = {(key, int(part_of[n])) for n, cores in enumerate(chosen) if cores for key, _ in cores}
    masks = {mask for cores in chosen if cores for _, mask in cores}
    rows = np.array(sorted(routes), np.int64).reshape(-1, 2)
    return Partitioning(
        part_of, rows[:, 0].copy(), rows[:, 1].astype(np.int32), tuple(sorted(masks)), tuple(range(parts - free, parts))
    )


def _rarest(core: tuple[Option, ...], demand: Counter[int]) -> Option:
    """What fewest others ask for; a predicate alone only where there is nothing else, for most events have it."""
    return min(core, key=lambda option: (option[1] == PREDICATE, demand[option[0]]))


def _open_count(opened: int, total: int, parts: int) -> int:
    """How many parts the open subscriptions get: their share, at least one; never all, unless all are open."""
    if not opened:
        return 0
    if opened == total or parts == 1:
        return parts
    return min(parts - 1, max(1, round(parts * opened / total)))


def _by_home(chosen: Sequence[tuple[Option, ...] | None]) -> dict[int, list[int]]:
    """Subscriptions by the key of their first core. One that can never match has no core, and any home will do."""
    homes: dict[int, list[int]] = defaultdict(list)
    for number, cores in enumerate(chosen):
        if cores is not None:
            homes[cores[0][0] if cores else 0].append(number)
    return homes


def _spread(homes: dict[int, list[int]], parts: int, part_of: NDArray[np.int32]) -> None:
    """Largest first, each to the part that has least; a key that is too much for one part is split over several."""
    if not parts:
        return
    most = -(-sum(map(len, homes.values())) // parts)
    loads = [(0, part) for part in range(parts)]
    for members in sorted(homes.values(), key=len, reverse=True):
        for start in range(0, len(members), most):
            chunk = members[start : start + most]
            load, part = heapq.heappop(loads)
            part_of[chunk] = part
            heapq.heappush(loads, (load + len(chunk), part))


def options_of(subscription: Subscription, seed: int) -> Options:
    """The keys that each core of a subscription could have."""
    return tuple(
        tuple((key_of(anchor, seed), mask_of(anchor.terms)) for anchor in core) for core in anchors_of(subscription)
    )


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


def routes_of(partitioning: Partitioning, total: int) -> Routes:
    """The routes of a partitioning into `total` parts."""
    size = 1 << (_FLAGS_A_KEY * partitioning.keys.size + _FEWEST_FLAGS - 1).bit_length()
    known = np.zeros(size, np.bool_)
    known[partitioning.keys & (size - 1)] = True
    return Routes(partitioning.keys, partitioning.parts, partitioning.masks, partitioning.open_parts, known, total)
