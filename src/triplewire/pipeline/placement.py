"""An index where tasks run: placed once for each executor, mapped by every Python worker there, opened once in each.

On one machine, or where workers see the driver's files, the index is mapped where it lies. Elsewhere Spark carries it
as one archive, and the first worker of an executor to need it unpacks it for all of them. Both lie in folders of
Spark's own, and go with the session. A worker process outlives its tasks, so the opened matcher is kept in this module.
"""

from __future__ import annotations

import gc
import os
import tarfile
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from triplewire.errors import SnapshotError
from triplewire.matching.matcher import Matcher
from triplewire.pipeline.api_modes import carry, is_here
from triplewire.pipeline.index import IndexRef, index_at
from triplewire.pipeline.storage.location import Location
from triplewire.system.folder_lock import wait_for_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Two: during a change of index, tasks of the last micro-batch may still want the old one.
_MOST_OPEN = 2
_opened: dict[tuple[str, str], Matcher] = {}


def place(spark: SparkSession, index: IndexRef, run_folder: Location | str | None = None) -> IndexRef:
    """Make the index reachable for every task of the session (driver's side).

    Tasks that write into a folder of the run see the lake, and so the index in it: nothing is carried for them.
    """
    index = msgspec.structs.replace(index, folder=str(Path(index.folder).resolve()))
    if not reaches_tasks(spark, run_folder):
        carry(spark, _archive_name(index.version), partial(_pack, Path(index.folder)))
    return index


def reaches_tasks(spark: SparkSession, run_folder: Location | str | None) -> bool:
    """Whether tasks can open what lies where an index does: on this machine, or in a lake that they write to as files.

    From any other storage the driver has a copy of its own.
    """
    return is_here(spark) or (run_folder is not None and Location.of(run_folder).is_local)


def _pack(folder: Path, archive: Path) -> None:
    with tarfile.open(archive, "w") as tar:
        tar.add(folder, ".")


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
        return index_at(_unpacked(index.version, problem))
    if found.version != index.version:
        raise SnapshotError(
            wanted=f"the index of version {index.version}", found=str(found.version), source=str(index.folder)
        )
    return found


def located_file(path: Path, name: str) -> Path:
    """A file on this host that belongs to an index: where it lies, or where Spark has carried it by its name."""
    return (
        path
        if os.access(path, os.R_OK)
        else _carried(name, SnapshotError(wanted="a file", found="none", source=str(path)))
    )


def _unpacked(version: str, problem: SnapshotError) -> Path:
    home = _executor_folder()
    home.mkdir(exist_ok=True)
    folder = home / version
    with wait_for_folder(home / f"{version}.lock"):
        if not folder.exists():
            archive = _carried(_archive_name(version), problem)
            draft = Path(tempfile.mkdtemp(dir=home))
            _extract(archive, draft)
            draft.rename(folder)
            # In a folder that a standalone worker keeps after the application has ended.
            archive.unlink()
    return folder


def _extract(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as tar:
        # Python 3.11.4 is the first to know filters.
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(folder)


def _executor_folder() -> Path:
    """A folder that all Python workers of an executor share, and that Spark removes when the application ends."""
    from pyspark import SparkFiles

    [first, *_] = os.environ.get("SPARK_LOCAL_DIRS", SparkFiles.getRootDirectory()).split(",")
    return Path(first) / "triplewire-indexes"


def _carried(name: str, problem: SnapshotError) -> Path:
    from pyspark import SparkFiles

    path = Path(SparkFiles.get(name))
    if not path.is_file():
        raise SnapshotError(f"{problem}", wanted="it carried by Spark then", found=f"no {path.name}")
    return path


def _archive_name(version: str) -> str:
    return f"triplewire-index-{version}.packed"
