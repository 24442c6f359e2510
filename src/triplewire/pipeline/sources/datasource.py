"""`spark.read.format("triplewire")` and `spark.readStream.format("triplewire")`: files of RDF as rows of events.

    register(spark)
    spark.read.format("triplewire").load("events/*.nq.gz")

Columns: event, source, time, payload. Options: `path`, or `paths`, one a line; `mode`, as Spark's own text formats have
it: FAILFAST (the default) fails on bad input with file and line, DROPMALFORMED leaves it out, PERMISSIVE keeps it as
rows with a reason in one more column, `problem`; `splitBytes`; for streams `maxFilesPerTrigger`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition

from triplewire.errors import InputError
from triplewire.matching.bounds import within
from triplewire.matching.scanner import scan
from triplewire.pipeline.rows import EVENT_COLUMNS, EVENT_SCHEMA
from triplewire.pipeline.sources.chunked import event_rows, rejects_of
from triplewire.pipeline.sources.files import SourceFile, find_files
from triplewire.pipeline.sources.reading import Batch, Reject, read_split
from triplewire.pipeline.sources.splits import LARGEST, Split, splits_of
from triplewire.rdf.limits import DEFAULT_LIMITS

NAME = "triplewire"
FAILFAST, DROPMALFORMED, PERMISSIVE = MODES = ("FAILFAST", "DROPMALFORMED", "PERMISSIVE")
_PROBLEM_COLUMNS = f"{EVENT_COLUMNS}, problem string"
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
        return _PROBLEM_COLUMNS if _mode(self.options) == PERMISSIVE else EVENT_COLUMNS

    def reader(self, schema: Any) -> DataSourceReader:
        return _Reader(dict(self.options))

    def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: N802  Spark's name
        return _StreamReader(dict(self.options))


class _Range(InputPartition):
    def __init__(self, split: Split) -> None:
        self.split = msgspec.msgpack.encode(split)


class _Reader(DataSourceReader):
    def __init__(self, options: dict[str, str]) -> None:
        self._options = options
        self._mode = _mode(options)

    def partitions(self) -> list[InputPartition]:
        return _ranges(find_files(_paths(self._options)), self._options)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return _rows(partition, self._mode)


class _StreamReader(DataSourceStreamReader):
    """Offsets count files in the order in which they were first seen by name and time: later files must sort later.

    A folder that is listed again must give the old files first, so the order is by modification time and then by name.
    """

    def __init__(self, options: dict[str, str]) -> None:
        self._options = options
        self._mode = _mode(options)
        self._most = _number(options, "maxfilespertrigger", _MOST_FILES)
        self._seen: dict[str, Any] | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802  Spark's name
        return {"modified": 0, "names": []}

    def latestOffset(self, start: dict[str, Any] | None = None, limit: Any = None) -> dict[str, Any]:  # noqa: N802
        begin = start or self._seen or self.initialOffset()
        self._seen = _after(begin, self._new_files(begin)[: self._most])
        return self._seen

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        return _ranges([file for file in self._new_files(start) if not _is_after(file, end)], self._options)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return _rows(partition, self._mode)

    def commit(self, end: dict[str, Any]) -> None:
        self._seen = end

    def _new_files(self, start: dict[str, Any]) -> list[SourceFile]:
        try:
            files = find_files(_paths(self._options))
        except InputError:
            # A folder that is still empty is a stream that has not begun.
            files = []
        return sorted((file for file in files if _is_after(file, start)), key=_stamp)


def _stamp(file: SourceFile) -> tuple[int, str]:
    return int(file.modified.timestamp() * 1_000_000), file.path


def _is_after(file: SourceFile, offset: dict[str, Any]) -> bool:
    modified, path = _stamp(file)
    return modified > offset["modified"] or (modified == offset["modified"] and path not in offset["names"])


def _after(start: dict[str, Any], files: list[SourceFile]) -> dict[str, Any]:
    if not files:
        return start
    last = _stamp(files[-1])[0]
    names = [file.path for file in files if _stamp(file)[0] == last]
    kept = start["names"] if start["modified"] == last else []
    return {"modified": last, "names": [*kept, *names]}


def _paths(options: Mapping[str, str]) -> list[str]:
    """One path, or in the option `paths` one a line."""
    paths = options.get("paths", "").splitlines() or [options.get("path", "")]
    if not all(paths):
        raise InputError('the format "triplewire" wants a path, as in .load("events/"), found none')
    return [path.removeprefix("file://") for path in paths]


def _mode(options: Mapping[str, str]) -> str:
    mode = options.get("mode", FAILFAST).upper()
    if mode not in MODES:
        raise InputError(f"the option mode wants one of {', '.join(MODES)}, found {mode!r}")
    return mode


def _number(options: Mapping[str, str], name: str, default: int) -> int:
    text = options.get(name, str(default))
    if not text.isdigit() or int(text) < 1:
        raise InputError(f"the option {name} wants a positive number, found {text!r}")
    return int(text)


def _ranges(files: list[SourceFile], options: Mapping[str, str]) -> list[InputPartition]:
    size = _number(options, "splitbytes", LARGEST)
    return [_Range(split) for file in files for split in splits_of(file, size)]


def _rows(partition: InputPartition, mode: str) -> Iterator[pa.RecordBatch]:
    assert isinstance(partition, _Range)
    split = msgspec.msgpack.decode(partition.split, type=Split)
    for piece in read_split(split):
        rejects = [piece] if isinstance(piece, Reject) else []
        if isinstance(piece, Batch):
            scanned = within(scan(piece.chunk.data), DEFAULT_LIMITS)
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
