"""One pinned core, and the facts about the machine that a reader of the numbers needs. No names of hosts, no paths."""

from __future__ import annotations

import ctypes
import gc
import os
import platform
from importlib.metadata import version
from pathlib import Path

from msgspec import Struct

_LIBRARIES = ("numba", "numpy", "pyarrow", "pyoxigraph", "duckdb", "clipspy", "triplewire")
_PAGE = os.sysconf("SC_PAGE_SIZE")
# Set before numerical libraries start, and inherited by every process that measures.
_ONE_THREAD = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARROW_IO_THREADS", "OMP_THREAD_LIMIT")


class Machine(Struct, frozen=True):
    """What the numbers were taken on."""

    processor: str
    cores: int
    memory_gib: float
    system: str
    python: str
    libraries: dict[str, str]


def pin() -> int:
    """Keep this process, and those it starts, on one core: the last, since the first has the interrupts."""
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    return core


def facts() -> Machine:
    """Look at the machine. Asked before `pin`, which hides all cores but one."""
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 1,
        memory_gib=round(os.sysconf("SC_PHYS_PAGES") * _PAGE / 2**30, 1),
        system=platform.system(),
        python=platform.python_version(),
        libraries={name: version(name) for name in _LIBRARIES},
    )


def resident_bytes() -> int:
    """The memory of this process, after everything that can be given back is given back."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())
