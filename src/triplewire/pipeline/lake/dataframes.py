"""Between the lake and Spark's DataFrames: read a table, and write one as files that a commit will name.

Where the driver's JVM sees the files, Spark reads them itself; elsewhere tasks read them, by the same layer that
everything else goes through, so that no connector for a storage is needed in the JVM.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from triplewire.errors import LakeError
from triplewire.pipeline.lake.delta_tables import TableFile
from triplewire.pipeline.lake.states import LakeState, file_batches
from triplewire.pipeline.lake.table_writers import PART_COLUMNS, Draft, Part, writing
from triplewire.pipeline.lake.tables import EVENTS, SCHEMAS
from triplewire.pipeline.storage.files import open_range
from triplewire.pipeline.storage.location import Location

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


class _Reading(Struct, frozen=True):
    """What tasks read: files of a table."""

    table: str
    columns: list[str]
    files: list[Location]


def read_table(spark: SparkSession, state: LakeState, table: str, columns: Sequence[str] | None = None) -> DataFrame:
    """A table as of a state, or some of its columns. It must have some data."""
    files = state.files(table)
    if not files:
        raise LakeError(wanted=f"data in the table {table}", found="none", source=state.root.uri)
    return read_files(spark, state, table, files, columns)


def read_files(
    spark: SparkSession,
    state: LakeState,
    table: str,
    files: Sequence[TableFile],
    columns: Sequence[str] | None = None,
) -> DataFrame:
    """Some files of a table."""
    return _read(spark, table, [state.location(table, file) for file in files], columns)


def read_numbered(
    spark: SparkSession, state: LakeState, table: str, files: Sequence[TableFile], columns: Sequence[str]
) -> DataFrame:
    """Some columns of some files, each row with the place of its file among them (`file`)."""
    from pyspark.sql.types import IntegerType

    names = list(columns)
    wanted = _Reading(table, names, [state.location(table, file) for file in files])
    schema = _spark_schema(table, names).add("file", IntegerType())
    return spark.range(0, len(files), 1, len(files)).mapInArrow(_reading(wanted, numbered=True), schema)


def read_parts(spark: SparkSession, lake: Location, parts: Sequence[Part], columns: Sequence[str]) -> DataFrame:
    """What tasks have written for a table, before it is committed."""
    [table] = {part.table for part in parts}
    return _read(spark, table, [lake / table / part.path for part in parts], columns)


def _read(spark: SparkSession, table: str, files: Sequence[Location], columns: Sequence[str] | None) -> DataFrame:
    names = list(columns or SCHEMAS[table].names)
    if not files:
        return spark.createDataFrame([], _spark_schema(table, names))
    if all(file.is_local for file in files):
        whole = spark.read.schema(_spark_schema(table, SCHEMAS[table].names))
        return whole.parquet(*(file.absolute().path for file in files)).select(*names)
    wanted = _Reading(table, names, list(files))
    count = len(files)
    return spark.range(0, count, 1, count).mapInArrow(_reading(wanted), _spark_schema(table, names))


def _reading(
    wanted: _Reading, *, numbered: bool = False
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    message = msgspec.msgpack.encode(wanted)

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        here = msgspec.msgpack.decode(message, type=_Reading)
        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            for rows in file_batches(here.files[number], here.table, here.columns):
                yield _with_number(rows, number) if numbered else rows

    return read


def _with_number(rows: pa.RecordBatch, number: int) -> pa.RecordBatch:
    return rows.append_column("file", pa.repeat(pa.scalar(number, pa.int32()), len(rows)))


def _spark_schema(table: str, names: Sequence[str]) -> StructType:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(pa.schema([SCHEMAS[table].field(name) for name in names]))


def stage(frame: DataFrame, draft: Draft, table: str) -> list[Part]:
    """Write a frame as files of a table. Empty files are left out."""
    rows = frame.mapInArrow(writing(draft, table), PART_COLUMNS).collect()
    return [msgspec.msgpack.decode(row.part, type=Part) for row in rows]


def rows_in(parts: Sequence[Part], table: str) -> int:
    """How many rows the parts add to a table."""
    return sum(part.rows for part in parts if part.table == table)


def uncompressed_bytes(state: LakeState, table: str, files: Sequence[TableFile] | None = None) -> int:
    """How many bytes the rows of a table are, whatever they take on disk."""
    described = (_metadata(state.location(table, file)) for file in (state.files(table) if files is None else files))
    return sum(each.row_group(group).total_byte_size for each in described for group in range(each.num_row_groups))


def payload_bytes(state: LakeState) -> int:
    """About how many bytes the payloads of all events have."""
    return sum(_column_bytes(_metadata(state.location(EVENTS, file)), "payload") for file in state.files(EVENTS))


def _metadata(location: Location) -> pq.FileMetaData:
    with open_range(location) as stream:
        return pq.read_metadata(stream)


def _column_bytes(metadata: pq.FileMetaData, column: str) -> int:
    place = metadata.schema.names.index(column)
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return sum(group.column(place).total_uncompressed_size for group in groups)
