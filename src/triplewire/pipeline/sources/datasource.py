"""`spark.read.format("triplewire")` and `spark.readStream.format("triplewire")`: files of RDF as rows of events.

    register(spark)
    spark.read.format("triplewire").load("events/*.nq.gz")

Columns: event, source, time, payload. Options: `path`, or `paths`, one a line; `mode`, as Spark's own text formats have
it: FAILFAST (the default) fails on bad input with file and line, DROPMALFORMED leaves it out, PERMISSIVE keeps it as
rows with a reason in one more column, `problem`; `splitBytes`; `eventBytes` and `eventQuads`, what one event may be;
`base`; `contexts`, a map of JSON-LD contexts; `eventTime`, the IRI of the property that is an event's time;
`storage.KEY`, what --storage-option takes; for streams `maxFilesPerTrigger` (Spark 4.2 and later).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
    InputPartition,
)

from triplewire.errors import InputError, UnknownFormat
from triplewire.matching.scanning.event_limits import within
from triplewire.matching.scanning.scanner import scan
from triplewire.pipeline.rows import EVENT_COLUMNS, EVENT_SCHEMA
from triplewire.pipeline.sources.chunk_rows import event_rows, rejects_of
from triplewire.pipeline.sources.file_offsets import NOTHING, Seen, having_seen, of_offset, path_hash, to_offset, unseen
from triplewire.pipeline.sources.files import SourceFile, find_files
from triplewire.pipeline.sources.options import ReadOptions
from triplewire.pipeline.sources.split_reader import LocatedChunk, Reject, read_split
from triplewire.pipeline.sources.splits import LARGEST, Split, splits_of
from triplewire.pipeline.storage.options import merged_options

try:
    from pyspark.sql.streaming.datasource import ReadMaxFiles, SupportsTriggerAvailableNow
except ImportError:  # Spark before 4.2

    class SupportsTriggerAvailableNow:  # type: ignore[no-redef]
        """Nobody asks."""

    class ReadMaxFiles:  # type: ignore[no-redef]
        """Nobody limits."""


NAME = "triplewire"
FAILFAST, DROPMALFORMED, PERMISSIVE = MODES = ("FAILFAST", "DROPMALFORMED", "PERMISSIVE")
PROBLEM_COLUMNS = f"{EVENT_COLUMNS}, problem string"
_PROBLEM_SCHEMA = EVENT_SCHEMA.append(pa.field("problem", pa.string()))
_MOST_FILES = 1_000


def register(spark: SparkSession) -> None:
    """Make the format `triplewire` known to a session."""
    spark.dataSource.register(EventFiles)


class EventFiles(DataSource):
    """Files of RDF. Must stay picklable: Spark sends it to a process of its own for planning."""

    @classmethod
    def name(cls) -> str:
        return NAME

    def schema(self) -> str:
        return PROBLEM_COLUMNS if _mode(self.options) == PERMISSIVE else EVENT_COLUMNS

    def reader(self, schema: Any) -> DataSourceReader:
        return _Reader(dict(self.options))

    def writer(self, schema: Any, overwrite: bool) -> DataSourceWriter:
        from triplewire.pipeline.sinks.targets import batch_writer

        return batch_writer(self.options, schema.names, overwrite=overwrite)

    def streamWriter(self, schema: Any, overwrite: bool) -> DataSourceStreamWriter:  # noqa: N802  Spark's name
        from triplewire.pipeline.sinks.targets import stream_writer

        return stream_writer(self.options, schema.names)

    def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: N802  Spark's name
        return _StreamReader(dict(self.options))


class _Range(InputPartition):
    def __init__(self, split: Split) -> None:
        self.split = msgspec.msgpack.encode(split)


class _Gone(InputPartition):
    """Files that were there when the offset was made."""

    def __init__(self, count: int) -> None:
        self.count = count


class _Reader(DataSourceReader):
    def __init__(self, options: dict[str, str]) -> None:
        self._options = options
        self._mode = _mode(options)

    def partitions(self) -> list[InputPartition]:
        return _ranges(find_files(_paths(self._options), _read_options(self._options)), self._options)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return _rows(partition, self._mode)


class _StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Offsets are the files that were seen (see `file_offsets`).

    Spark before 4.2 does not say where it is when it asks for the latest offset, and never asks for all that is there
    in several steps: then an offset is everything that is listed, whatever `maxFilesPerTrigger` says.
    """

    def __init__(self, options: dict[str, str]) -> None:
        self._options = options
        self._mode = _mode(options)
        self._paths = _paths(options)
        self._most = _number(options, "maxfilespertrigger", _MOST_FILES)
        self._until: Seen | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802  Spark's name
        return to_offset(NOTHING)

    def getDefaultReadLimit(self) -> Any:  # noqa: N802
        return ReadMaxFiles(self._most)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Files that appear from now on are for the next query."""
        self._until = having_seen(NOTHING, (), self._listed())

    def latestOffset(self, start: dict[str, Any] | None = None, limit: Any = None) -> dict[str, Any]:  # noqa: N802
        listed = self._listed()
        if start is None:
            return to_offset(having_seen(NOTHING, (), listed))
        seen = of_offset(start)
        new = [file for file in unseen(listed, seen) if self._until is None or path_hash(file) in self._until]
        taken = new[: limit.max_files] if isinstance(limit, ReadMaxFiles) else new
        return to_offset(having_seen(seen, listed, taken)) if taken else start

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        wanted = of_offset(end) - of_offset(start)
        found = [file for file in unseen(self._listed(), NOTHING) if path_hash(file) in wanted]
        gone = len(wanted) - len(found)
        if gone and self._mode == FAILFAST:
            raise InputError(
                wanted=f"{len(wanted):,} files that were listed", found=f"{gone:,} of them gone", source=self._name
            )
        return [*_ranges(found, self._options), *([_Gone(gone)] if gone else [])]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        if not isinstance(partition, _Gone):
            yield from _rows(partition, self._mode)
        elif self._mode == PERMISSIVE:
            problem = f"{partition.count:,} files that were listed are gone"
            yield pa.RecordBatch.from_pylist([{"source": self._name, "problem": problem}], schema=_PROBLEM_SCHEMA)

    @property
    def _name(self) -> str:
        return ", ".join(self._paths)

    def _listed(self) -> list[SourceFile]:
        try:
            return find_files(self._paths, _read_options(self._options))
        except UnknownFormat:
            raise
        except InputError:
            # A folder that is still empty is a stream that has not begun.
            return []


def _paths(options: Mapping[str, str]) -> list[str]:
    """One path, or in the option `paths` one a line."""
    paths = options.get("paths", "").splitlines() or [options.get("path", "")]
    if not all(paths):
        raise InputError(subject='the format "triplewire"', wanted='a path, as in .load("events/")', found="none")
    return paths


def _mode(options: Mapping[str, str]) -> str:
    mode = options.get("mode", FAILFAST).upper()
    if mode not in MODES:
        raise InputError(subject="the option mode", wanted=f"one of {', '.join(MODES)}", found=repr(mode))
    return mode


def _number(options: Mapping[str, str], name: str, default: int) -> int:
    text = options.get(name, str(default))
    if not text.isdigit() or int(text) < 1:
        raise InputError(subject=f"the option {name}", wanted="a positive number", found=repr(text))
    return int(text)


def _read_options(options: Mapping[str, str]) -> ReadOptions:
    size, quads = (_number(options, name, 0) if name in options else None for name in ("eventbytes", "eventquads"))
    prefix = "storage."
    storage = {key.removeprefix(prefix): value for key, value in options.items() if key.startswith(prefix)}
    return ReadOptions(
        event_bytes=size,
        event_quads=quads,
        base=options.get("base"),
        contexts=options.get("contexts"),
        event_time=options.get("eventtime"),
        storage=merged_options(storage),
    )


def _ranges(files: list[SourceFile], options: Mapping[str, str]) -> list[InputPartition]:
    size = _number(options, "splitbytes", LARGEST)
    return [_Range(split) for file in files for split in splits_of(file, size)]


def _rows(partition: InputPartition, mode: str) -> Iterator[pa.RecordBatch]:
    assert isinstance(partition, _Range)
    return rows_of_split(msgspec.msgpack.decode(partition.split, type=Split), mode)


def rows_of_split(split: Split, mode: str) -> Iterator[pa.RecordBatch]:
    """The rows of a split: its events and, as the mode asks for it, its rejects."""
    limits = split.options.limits
    for piece in read_split(split):
        rejects = [piece] if isinstance(piece, Reject) else []
        if isinstance(piece, LocatedChunk):
            scanned = within(scan(piece.chunk.data), limits)
            rejects = rejects_of(piece, scanned)
            yield from _with_problem(event_rows(scanned, split), mode).to_batches()
        if rejects and mode == FAILFAST:
            raise InputError(rejects[0].reason, source=f"{rejects[0].file}:{rejects[0].line or 0}")
        if rejects and mode == PERMISSIVE:
            yield _problem_rows(rejects, split)


def _with_problem(rows: pa.Table, mode: str) -> pa.Table:
    if mode != PERMISSIVE:
        return rows
    return rows.append_column("problem", pa.nulls(len(rows), pa.string()))


def _problem_rows(rejects: list[Reject], split: Split) -> pa.RecordBatch:
    rows = [
        {"event": r.event, "source": r.file, "time": split.modified, "problem": f"line {r.line or 0}: {r.reason}"}
        for r in rejects
    ]
    return pa.RecordBatch.from_pylist(rows, schema=_PROBLEM_SCHEMA)


__all__ = ["EventFiles", "register"]
