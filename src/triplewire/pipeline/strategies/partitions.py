"""Which part of the index a subscription lives in, and which keys lead an event there.

Every subscription lives in exactly one part, whatever it is made of; each of its cores is filed under one key, and
all of those keys lead to that part. So no two parts can notify of the same match, and nothing has to be told apart
afterwards. Subscriptions that no constant leads to are open: they live in parts of their own, which every event
visits.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from triplewire.errors import InputError
from triplewire.pipeline.strategies.keys import PREDICATE, Keys

Option = tuple[int, int]
"""A key and its mask."""

Options = tuple[tuple[Option, ...], ...]
"""For each core of a subscription, the keys that it could be filed under."""


class Partitioning(Struct, frozen=True, eq=False):
    """The part of each subscription, the routes (sorted by key), the masks in use, and the parts that are open."""

    part_of: NDArray[np.int32]
    keys: Keys
    parts: NDArray[np.int32]
    masks: tuple[int, ...]
    open_parts: tuple[int, ...]


def partitioned(options: Sequence[Options], parts: int) -> Partitioning:
    """File subscriptions into a number of parts of about the same size."""
    if parts < 1:
        raise InputError(f"wanted at least one part, found {parts}")
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
