"""Events that pass through Spark as rows: what is whole, what is none, and what is staged of both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.errors import BadInputRefused
from triplewire.pipeline.rows import EVENT_SCHEMA
from triplewire.pipeline.sources.datasource import register
from triplewire.pipeline.sources.files import SourceFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SHOWN = 3


class Arrived(Struct, frozen=True):
    """Whole events (event, source, time, payload), and what is none, with the columns of `rejects`."""

    events: DataFrame
    rejects: DataFrame


def arrived(rows: DataFrame) -> Arrived:
    """Part rows of event, source, time, payload and problem."""
    bad = rows.where("problem IS NOT NULL").selectExpr(
        "source AS file",
        "CAST(nullif(regexp_extract(problem, '^line ([0-9]+):', 1), '') AS long) AS line",
        "event",
        "CAST(NULL AS string) AS subscription",
        "problem AS reason",
    )
    return Arrived(rows.where("problem IS NULL").select(*EVENT_SCHEMA.names), bad)


def files_as_rows(spark: SparkSession, files: list[SourceFile]) -> DataFrame:
    """Rows of event, source, time, payload and problem. All files have the same options."""
    register(spark)
    reader = spark.read.format("triplewire").option("mode", "PERMISSIVE")
    asked = files[0].options
    told = {
        "eventBytes": asked.event_bytes,
        "eventQuads": asked.event_quads,
        "base": asked.base,
        "contexts": asked.contexts,
    }
    for name, value in told.items():
        reader = reader if value is None else reader.option(name, str(value))
    return reader.option("paths", "\n".join(file.path for file in files)).load()


def refuse(spark: SparkSession, rejects: Path, count: int) -> None:
    """End a strict run with the first of the rejects that were staged, if there are any."""
    if count:
        bad = spark.read.parquet(str(rejects.resolve())).limit(_SHOWN).collect()
        raise BadInputRefused(count, tuple(f"{row.file}:{row.line or 0}: {row.reason}" for row in bad))
