"""How large an index is, how much memory a host has for it, and into how many parts it has to be cut."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from triplewire.algebra.subscriptions import Subscription
from triplewire.pipeline.api_modes import parallelism

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What a subscription takes in a snapshot beside its text: programs, entries, tables. Measured, see docs/strategies.md.
_BYTES_A_SUBSCRIPTION = 350
_BYTES_A_CHARACTER = 1.6
# The rest is for Spark, for the workers and for what is being matched.
_SHARE_OF_MEMORY = 0.4
_CONTROL_GROUPS = Path("/sys/fs/cgroup")
_LIMITS = ("memory.max", "memory/memory.limit_in_bytes")


def index_bytes(subscriptions: Iterable[Subscription]) -> int:
    """About how much memory an index of these takes."""
    lengths = [len(subscription.text) for subscription in subscriptions]
    return bytes_of(len(lengths), sum(lengths))


def bytes_of(subscriptions: int, characters: int) -> int:
    """The same for so many subscriptions, whose texts have so many characters together.

    >>> bytes_of(1_000_000, 170_000_000)
    622000000
    """
    return round(_BYTES_A_SUBSCRIPTION * subscriptions + _BYTES_A_CHARACTER * characters)


def fits(index: int, memory: int) -> bool:
    """Whether a host has room for the whole index.

    >>> fits(index=1 << 30, memory=16 << 30), fits(index=16 << 30, memory=16 << 30)
    (True, False)
    """
    return index <= _SHARE_OF_MEMORY * memory


def parts_for(index: int, memory: int, cores: int) -> int:
    """How many parts: so many that all cores of a host together open no more than it has room for, and none is idle.

    >>> parts_for(index=10 << 30, memory=4 << 30, cores=4)
    26
    """
    room = _SHARE_OF_MEMORY * memory
    return max(cores, -(-index * cores // max(int(room), 1)), 1)


def least_memory(spark: SparkSession) -> int:
    """The memory of the smallest host that a task ran on."""
    tasks = parallelism(spark)
    rows = spark.range(0, tasks, 1, tasks).mapInArrow(_memories, "memory long").collect()
    return min(int(row.memory) for row in rows)


def _memories(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for _ in batches:
        yield pa.RecordBatch.from_pydict({"memory": [memory_here()]})


def memory_here(groups: Path = _CONTROL_GROUPS) -> int:
    """Bytes that a task may count on here: what the machine has, or what its container is allowed if that is less.

    A limit that is no number, as `max`, is none.
    """
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limits = [(groups / name).read_text().strip() for name in _LIMITS if (groups / name).is_file()]
    return min([machine, *(int(limit) for limit in limits if limit.isdigit())])
