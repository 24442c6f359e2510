"""Between the lake and Spark's DataFrames: read a table, and write one into a staging folder."""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from triplewire.errors import LakeError
from triplewire.pipeline.lake.folder import Lake, existing_lake
from triplewire.pipeline.lake.table_writers import Part
from triplewire.pipeline.lake.tables import EVENTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


# A row group is the least that a task reads. Payloads compress so well that Spark, which goes by bytes, would make one
# of all rows.
ROWS_A_GROUP = 50_000


def read_table(spark: SparkSession, lake: Lake, table: str) -> DataFrame:
    """A table of the lake, which must have some data. A compaction leaves what it reads in place for a while."""
    files = [str(path.resolve()) for path in lake.opened(table)]
    if not files:
        raise LakeError(wanted=f"data in the table {table}", found="none", source=str(lake.root))
    return spark.read.parquet(*files)


def has_data(root: str | os.PathLike[str], table: str) -> bool:
    """Whether a table of a lake has any rows."""
    return bool(existing_lake(Path(root)).files(table))


def stage(frame: DataFrame, staging: Path, table: str, label: str) -> list[Part]:
    """Write a frame as files of a table in a staging folder. Empty files are left out."""
    # Executors of a driver that was killed may still be writing what it asked for.
    draft = staging / f"{table}-{uuid.uuid4().hex[:12]}.spark"
    writer = frame.write.mode("overwrite").option("parquet.block.row.count.limit", str(ROWS_A_GROUP))
    writer.parquet(str(draft.resolve()))
    folder = staging / table
    folder.mkdir(exist_ok=True)
    parts = []
    for number, path in enumerate(sorted(draft.glob("*.parquet"))):
        rows = pq.read_metadata(path).num_rows
        if rows:
            parts.append(Part(table, f"{label}-{number:05}-spark.parquet", rows))
            path.rename(folder / parts[-1].name)
    shutil.rmtree(draft, ignore_errors=True)
    return parts


def rows_in(parts: list[Part], table: str) -> int:
    """How many rows the parts add to a table."""
    return sum(part.rows for part in parts if part.table == table)


def count_rows(lake: Lake, table: str) -> int:
    """How many rows a table has."""
    return sum(pq.read_metadata(path).num_rows for path in lake.files(table))


def uncompressed_bytes(lake: Lake, table: str) -> int:
    """How many bytes the rows of a table are, whatever they take on disk."""
    described = (pq.read_metadata(path) for path in lake.files(table))
    return sum(each.row_group(group).total_byte_size for each in described for group in range(each.num_row_groups))


def payload_bytes(lake: Lake) -> int:
    """About how many bytes the payloads of all events have."""
    return sum(_column_bytes(pq.read_metadata(path), "payload") for path in lake.files(EVENTS))


def _column_bytes(metadata: pq.FileMetaData, column: str) -> int:
    place = metadata.schema.names.index(column)
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return sum(group.column(place).total_uncompressed_size for group in groups)
