"""CPU seconds of this process and everything that it has started: Spark's JVM, its Python workers, a server."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

_TICKS = os.sysconf("SC_CLK_TCK")
# Fields of /proc/PID/stat after the name: the parent, and the times of the process and of children that have ended.
_PARENT, _TIMES = 1, slice(11, 15)


class Cost(Struct, frozen=True):
    """What a piece of work took."""

    seconds: float
    cpu_seconds: float


def cost_of(work: Callable[[], object]) -> Cost:
    """Do the work, and say what it took."""
    cpu, start = cpu_seconds(), time.perf_counter()
    work()
    return Cost(time.perf_counter() - start, cpu_seconds() - cpu)


def cpu_seconds() -> float:
    """Of this process and all of its descendants so far."""
    parents: dict[int, list[int]] = defaultdict(list)
    used: dict[int, float] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(fields[_PARENT])].append(int(folder.name))
        used[int(folder.name)] = sum(map(int, fields[_TIMES])) / _TICKS
    total, waiting = 0.0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        total += used.get(process, 0.0)
        waiting.extend(parents[process])
    return total
