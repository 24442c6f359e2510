"""Which strategy fits: by how large the index is, how much memory a host has for it, and how events arrive."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from triplewire.algebra.subscriptions import Subscription

# What a subscription takes in a snapshot beside its text: programs, entries, tables. Measured, see docs/strategies.md.
_BYTES_A_SUBSCRIPTION = 350
_BYTES_A_CHARACTER = 1.6
# The rest is for Spark, for the workers and for what is being matched.
_SHARE_OF_MEMORY = 0.4


class Strategy(Enum):
    """How events and subscriptions meet."""

    REPLICATE = "replicate"
    OSMA = "osma"
    CSMA = "csma"
    AUTO = "auto"


def index_bytes(subscriptions: Iterable[Subscription]) -> int:
    """About how much memory an index of these takes."""
    return round(sum(_BYTES_A_SUBSCRIPTION + _BYTES_A_CHARACTER * len(s.text) for s in subscriptions))


def chosen(index: int, memory: int) -> Strategy:
    """Replicate while the whole index has room on every host, else osma: csma is for those who ask for it.

    >>> chosen(index=1 << 30, memory=16 << 30), chosen(index=16 << 30, memory=16 << 30)
    (<Strategy.REPLICATE: 'replicate'>, <Strategy.OSMA: 'osma'>)
    """
    return Strategy.REPLICATE if index <= _SHARE_OF_MEMORY * memory else Strategy.OSMA


def parts_for(index: int, memory: int, cores: int) -> int:
    """How many parts: so many that all cores of a host together open no more than it has room for, and none is idle.

    >>> parts_for(index=10 << 30, memory=4 << 30, cores=4)
    26
    """
    room = _SHARE_OF_MEMORY * memory
    return max(cores, -(-index * cores // max(int(room), 1)), 1)
