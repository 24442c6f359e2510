"""Byte ranges for tasks: large N-Quads files are cut, small files are put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from msgspec import Struct

from triplewire.pipeline.sources.files import SourceFile
from triplewire.pipeline.sources.options import DEFAULT_READ_OPTIONS, ReadOptions
from triplewire.pipeline.storage.location import Location
from triplewire.rdf.limits import MIB

# As large as Spark makes its own: what a task costs beside its work is soon a tenth of it.
LARGEST = 128 * MIB
SMALLEST = 2 * MIB
# A task also has costs of its own: opening the file, writing its part of each table.
_COST_OF_A_FILE = 64 * 1024
_TASKS_A_CORE = 4


class Split(Struct, frozen=True):
    """A range of a file: the events that begin in it. Files that cannot be cut have one split."""

    path: str
    start: int
    end: int
    size: int
    modified: datetime
    format: str
    compression: str | None = None
    options: ReadOptions = DEFAULT_READ_OPTIONS

    @property
    def location(self) -> Location:
        return Location.of(self.path, self.options.storage)


Task = tuple[Split, ...]


def plan_tasks(files: Iterable[SourceFile], cores: int) -> list[Task]:
    """Tasks of about equal size, some for each core."""
    files = list(files)
    total = sum(file.size for file in files)
    size = min(LARGEST, max(SMALLEST, total // (cores * _TASKS_A_CORE) + 1))
    splits = [split for file in files for split in splits_of(file, size)]
    return list(_packed(splits, size))


def splits_of(file: SourceFile, size: int) -> Iterator[Split]:
    """The splits of one file, of about `size` bytes each: at most a quarter more.

    >>> file = SourceFile("a.nq", 1_090, datetime(2024, 5, 1), "nquads")
    >>> [split.end - split.start for size in (1_000, 500, 100) for split in splits_of(file, size)][:3]
    [1090, 545, 545]
    """
    # A rest that is a small part of a split is no task of its own.
    count = max(1, -(-file.size // (size + size // 4))) if file.splittable else 1
    step = max(1, -(-file.size // count))
    for start in range(0, max(file.size, 1), step):
        end = min(start + step, file.size)
        yield Split(file.path, start, end, file.size, file.modified, file.format, file.compression, file.options)


def _packed(splits: Iterable[Split], size: int) -> Iterator[Task]:
    task: list[Split] = []
    load = 0
    for split in splits:
        weight = split.end - split.start + _COST_OF_A_FILE
        if task and load + weight > size + _COST_OF_A_FILE:
            yield tuple(task)
            task, load = [], 0
        task.append(split)
        load += weight
    if task:
        yield tuple(task)
