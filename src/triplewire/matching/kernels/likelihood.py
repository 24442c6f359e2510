"""How likely an event has a part: by the events that were seen, else by what subscriptions ask for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from triplewire.matching.kernels import layout
from triplewire.matching.kernels.index.anchor_keys import anchor_key, key_slot
from triplewire.matching.kernels.index.demand import DemandCounts
from triplewire.matching.kernels.machine import Floats, Table, inner

_DOUBT = 8.0  # as if so many other objects had been asked for besides


class SeenEvents(NamedTuple):
    """Shares of events, by anchor key (sorted), and a sorted sample of the values under each predicate."""

    keys: Table
    shares: Floats
    sample_starts: Table
    samples: Floats


@inner
def share_of(seen: SeenEvents, key: int, otherwise: float) -> float:
    at = np.searchsorted(seen.keys, key)
    return float(seen.shares[at]) if at < seen.keys.size and seen.keys[at] == key else otherwise


@inner
def pair_share(demand: DemandCounts, seen: SeenEvents, predicate: int, thing: int) -> float:
    key = anchor_key(layout.PREDICATE_OBJECT, predicate, thing)
    share = share_of(seen, key, -1.0)
    if share >= 0.0:
        return share
    mask = demand.slots.size - 1
    at = key_slot(key, mask)
    while demand.slots[at] != 0 and demand.keys[demand.slots[at] - 1] != key:
        at = (at + 1) & mask
    asked = demand.counts[demand.slots[at] - 1] if demand.slots[at] != 0 else 0
    return float((asked + 1.0) / (demand.by_predicate[predicate] + _DOUBT))


@inner
def range_share(demand: DemandCounts, seen: SeenEvents, predicate: int, low: float, high: float) -> float:
    """The part of the sample that lies inside, or of the extent of all ranges."""
    if predicate + 1 < seen.sample_starts.size and seen.sample_starts[predicate + 1] > seen.sample_starts[predicate]:
        sample = seen.samples[seen.sample_starts[predicate] : seen.sample_starts[predicate + 1]]
        inside = np.searchsorted(sample, high, "right") - np.searchsorted(sample, low, "left")
        return (inside + 0.5) / (sample.size + 1.0)
    extent = demand.highs[predicate] - demand.lows[predicate]
    width = min(high, demand.highs[predicate]) - max(low, demand.lows[predicate])
    return min(1.0, max(width / extent, 1e-4)) if extent > 0.0 else 0.5
