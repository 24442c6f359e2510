"""An index where tasks run: placed once for each executor, mapped by every Python worker there, opened once in each.

On one machine, or where workers see the driver's files, the index is mapped where it lies. Elsewhere Spark carries it
as one archive (see `carrying`). A worker process outlives its tasks, so the opened matcher is kept in this module.
"""

from __future__ import annotations

import gc
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from triplewire.errors import SnapshotError
from triplewire.matching.matcher import Matcher
from triplewire.pipeline.api_modes import carry, is_here
from triplewire.pipeline.carrying.archives import carried, pack_folder, packed, unpacked
from triplewire.pipeline.carrying.kernels import carry_kernels
from triplewire.pipeline.index import IndexRef, index_at
from triplewire.pipeline.storage.location import Location

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Two: during a change of index, tasks of the last micro-batch may still want the old one.
_MOST_OPEN = 2
_opened: dict[tuple[str, str], Matcher] = {}


def place(spark: SparkSession, index: IndexRef, run_folder: Location | str | None = None) -> IndexRef:
    """Make the index reachable for every task of the session (driver's side).

    Tasks that write into a folder of the run see the lake, and so the index in it: nothing is carried for them.
    """
    carry_kernels(spark)
    index = msgspec.structs.replace(index, folder=str(Path(index.folder).resolve()))
    if not reaches_tasks(spark, run_folder):
        carry(spark, packed(_name(index.version)), partial(pack_folder, Path(index.folder)))
    return index


def reaches_tasks(spark: SparkSession, run_folder: Location | str | None) -> bool:
    """Whether tasks can open what lies where an index does: on this machine, or in a lake that they write to as files.

    From any other storage the driver has a copy of its own.
    """
    return is_here(spark) or (run_folder is not None and Location.of(run_folder).is_local)


def matcher_of(index: IndexRef, most_open: int = _MOST_OPEN) -> Matcher:
    """The opened matcher of an index, kept for the tasks to come (worker's side); older ones beyond `most_open` go."""
    key = index.version, index.folder
    matcher = _opened.get(key)
    if matcher is None:
        while len(_opened) >= most_open:
            del _opened[next(iter(_opened))]
        here = located(index)
        matcher = _opened[key] = Matcher.open(here.snapshot, here.taxonomy())
        _spare_the_collector()
    return matcher


def _spare_the_collector() -> None:
    """Let the garbage collector pass over what stays as long as the worker.

    Spark's daemon collects garbage after every task, and would look at every object of numba and the index each time,
    which takes as long as a task.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def located(index: IndexRef) -> IndexRef:
    """The index on this host: where it lies, or unpacked from what Spark has carried here."""
    try:
        found = index_at(index.folder)
    except SnapshotError as problem:
        folder = unpacked(_name(index.version))
        if folder is None:
            raise _not_carried(problem, _name(index.version)) from None
        return index_at(folder)
    if found.version != index.version:
        raise SnapshotError(
            wanted=f"the index of version {index.version}", found=str(found.version), source=str(index.folder)
        )
    return found


def located_file(path: Path, name: str) -> Path:
    """A file on this host that belongs to an index: where it lies, or where Spark has carried it by its name."""
    if os.access(path, os.R_OK):
        return path
    found = carried(name)
    if found is None:
        raise _not_carried(SnapshotError(wanted="a file that may be read", found="none", source=str(path)), name)
    return found


def _not_carried(problem: SnapshotError, name: str) -> SnapshotError:
    return SnapshotError(f"{problem}", wanted="it carried by Spark then", found=f"no {name}")


def _name(version: str) -> str:
    return f"triplewire-index-{version}"
