"""An index where tasks run: placed once on each host, mapped by every Python worker there, opened once in each.

On one machine, or where workers see the driver's files, the index is mapped where it lies. Elsewhere Spark carries it
as one archive, and the first worker on a host to need it unpacks it for all of them. A worker process outlives its
tasks, so the opened matcher is kept in this module.
"""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from triplewire.errors import PipelineError, SnapshotError
from triplewire.matching.matcher import Matcher
from triplewire.pipeline.index import IndexRef, index_at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Two: during a change of index, tasks of the last micro-batch may still want the old one.
_MOST_OPEN = 2
_opened: dict[tuple[str, str], Matcher] = {}


def place(spark: SparkSession, index: IndexRef) -> IndexRef:
    """Make the index reachable for every task of the session (driver's side)."""
    index = msgspec.structs.replace(index, folder=str(Path(index.folder).resolve()))
    if (spark.conf.get("spark.master") or "local[").startswith("local["):
        return index
    name = _archive_name(index)
    folder = Path(tempfile.mkdtemp(prefix="triplewire-archive-"))
    archive = shutil.make_archive(str(folder / name), "tar", index.folder)
    spark.sparkContext.addFile(archive)
    return index


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
    except SnapshotError:
        return _unpacked(index)
    if found.version != index.version:
        raise SnapshotError(f"{index.folder}: wanted the index of version {index.version}, found {found.version}")
    return found


def _unpacked(index: IndexRef) -> IndexRef:
    home = Path(tempfile.gettempdir()) / f"triplewire-{os.getuid()}"
    home.mkdir(mode=0o700, exist_ok=True)
    if home.stat().st_uid != os.getuid():
        raise PipelineError(f"{home}: wanted a folder of this user for indexes, found somebody else's")
    folder = home / index.version
    with (home / f"{index.version}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            draft = Path(tempfile.mkdtemp(dir=home))
            shutil.unpack_archive(_carried(index), draft, "tar", filter="data")
            draft.rename(folder)
    return index_at(folder)


def _carried(index: IndexRef) -> str:
    from pyspark import SparkFiles

    path = Path(SparkFiles.get(f"{_archive_name(index)}.tar"))
    if not path.is_file():
        raise SnapshotError(f"{index.folder}: wanted the index here, or carried by Spark, found neither")
    return str(path)


def _archive_name(index: IndexRef) -> str:
    return f"triplewire-index-{index.version}"
