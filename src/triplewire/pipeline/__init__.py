"""The matcher inside Spark: the same answers over files, streams and history. The only package that imports pyspark.

session      a Spark session: local by default, a cluster by --master; interrupts pass between its calls
failures     what Spark says when a task fails, in one sentence
paths        which paths are meant, and that other storage is refused
rows         the columns that travel
index        a snapshot with its taxonomy and version; placement brings it to the tasks
payloads     match a column of events at once; matching does it to a DataFrame
sources      files become events, whole, and bad input becomes rejects
lake         the tables that are kept, and how a run becomes visible all at once
strategies   replicate, osma, csma: where subscriptions and events meet
jobs         match, stream, backfill, replay, profile, compact

spark.read.format("triplewire") is known after register(spark); match(df, snapshot) turns its rows into matches.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from triplewire.pipeline.index import IndexRef, build_index
from triplewire.pipeline.matching import match
from triplewire.pipeline.session import SessionSettings, require_workers, spark_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["IndexRef", "SessionSettings", "build_index", "match", "open_table", "register", "spark_session"]


def open_table(spark: SparkSession, lake: str | os.PathLike[str], table: str) -> DataFrame:
    """A table of a lake as it is now: `compact` leaves what it reads in place for a while."""
    from triplewire.pipeline.lake.dataframes import read_table
    from triplewire.pipeline.lake.folder import existing_lake

    return read_table(spark, existing_lake(Path(lake)), table)


def register(spark: SparkSession) -> None:
    """Make `spark.read.format("triplewire")` and `readStream` known to a session.

    Raises `SparkUnavailable` with what is missing if the session's workers cannot import Triplewire.
    """
    require_workers(spark)
    from triplewire.pipeline.sources.datasource import register as known_to

    known_to(spark)
