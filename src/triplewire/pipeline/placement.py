"""An index where tasks run: placed once for each executor, mapped by every Python worker there, opened once in each.

On one machine, or where workers see the driver's files, the index is mapped where it lies. Elsewhere Spark carries it
as one archive, and the first worker of an executor to need it unpacks it for all of them. Both lie in folders of
Spark's own, and go with the session. A worker process outlives its tasks, so the opened matcher is kept in this module.
"""

from __future__ import annotations

import gc
import os
import shutil
import tarfile
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from triplewire.errors import SnapshotError
from triplewire.matching.matcher import Matcher
from triplewire.pipeline.index import IndexRef, index_at
from triplewire.pipeline.storage.location import Location
from triplewire.system.folder_lock import wait_for_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Two: during a change of index, tasks of the last micro-batch may still want the old one.
_MOST_OPEN = 2
_opened: dict[tuple[str, str], Matcher] = {}
_carrying = threading.Lock()


def place(spark: SparkSession, index: IndexRef, run_folder: Location | str | None = None) -> IndexRef:
    """Make the index reachable for every task of the session (driver's side).

    Tasks that write into a folder of the run see the lake, and so the index in it: nothing is carried for them.
    """
    index = msgspec.structs.replace(index, folder=str(Path(index.folder).resolve()))
    if not _is_shared(run_folder) and not (spark.conf.get("spark.master") or "local[").startswith("local["):
        _carry(spark, index)
    return index


def _is_shared(run_folder: Location | str | None) -> bool:
    """Whether tasks see an index where the driver has it: in a lake that they write to as files."""
    return run_folder is not None and Location.of(run_folder).is_local


def _carry(spark: SparkSession, index: IndexRef) -> None:
    """Give the index to Spark, once a session: a name that Spark has cannot be given to it again."""
    from pyspark import SparkFiles

    archive = Path(SparkFiles.getRootDirectory()) / f"{_archive_name(index)}.tar"
    with _carrying:
        if archive.exists():
            return
        try:
            shutil.make_archive(str(archive.with_suffix("")), "tar", index.folder)
            spark.sparkContext.addFile(str(archive))
        except BaseException:
            archive.unlink(missing_ok=True)
            raise


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
        return _unpacked(index, problem)
    if found.version != index.version:
        raise SnapshotError(
            wanted=f"the index of version {index.version}", found=str(found.version), source=str(index.folder)
        )
    return found


def _unpacked(index: IndexRef, problem: SnapshotError) -> IndexRef:
    home = _executor_folder()
    home.mkdir(exist_ok=True)
    folder = home / index.version
    with wait_for_folder(home / f"{index.version}.lock"):
        if not folder.exists():
            archive = _carried(index, problem)
            draft = Path(tempfile.mkdtemp(dir=home))
            _extract(archive, draft)
            draft.rename(folder)
            # In a folder that a standalone worker keeps after the application has ended.
            archive.unlink()
    return index_at(folder)


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


def _carried(index: IndexRef, problem: SnapshotError) -> Path:
    from pyspark import SparkFiles

    path = Path(SparkFiles.get(f"{_archive_name(index)}.tar"))
    if not path.is_file():
        raise SnapshotError(f"{problem}", wanted="it carried by Spark then", found=f"no {path.name}")
    return path


def _archive_name(index: IndexRef) -> str:
    return f"triplewire-index-{index.version}"
