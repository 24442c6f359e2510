"""The matcher inside Spark: the same answers over files, streams and history. The only package that imports pyspark.

    jobs          match, stream, backfill, replay, profile, ask, report, validate, rules, compact
    strategies    replicate, osma, csma: where subscriptions and events meet, for batches, streams and DataFrames
    sources       files become events, whole, and bad input becomes rejects
    indexing      subscriptions as rows become an index: only what changed, and much of it in tasks
    asking        SPARQL over a lake's history: algebra as joins, or an event at a time
    storage       files wherever they are: local disks and object storages, for driver and tasks alike
    carrying      what Spark brings to executors: archives, compiled kernels
    sinks         DataFrames are written into a lake, or to a node
    lake          the tables that are kept, and how a run becomes visible all at once

    session       a Spark session: local by default, a cluster by --master, Spark Connect by --remote
    api_modes     Spark Classic and Spark Connect: what each says in another way
    interrupts    Ctrl-C between calls into the JVM
    failures      what Spark says when a task fails, in one sentence
    period        a piece of time
    rows          the columns that travel
    index         a snapshot with its taxonomy and version
    placement     brings an index to the tasks
    shapes        SHACL over events, one at a time
    split_tasks   tasks that read splits, match and write tables themselves
    payloads      match rows of events, a column of payloads at once
    quads         rows of events become rows of quads
    assembly      quads that arrive one by one become events
    progress      what tasks write while they run, for the driver

spark.read.format("triplewire") is known after register(spark); match(df, snapshot) turns its rows into matches.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from triplewire.errors import InputError

# Every task imports this package, and so finds kernels that were carried to it.
from triplewire.pipeline.carrying.kernels import carry_kernels
from triplewire.pipeline.index import IndexRef, build_index, index_of_snapshot
from triplewire.pipeline.session import SessionSettings, require_workers, spark_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from triplewire.algebra.taxonomy import Taxonomy
    from triplewire.pipeline.strategies.strategy import Strategy

__all__ = ["IndexRef", "SessionSettings", "build_index", "match", "open_table", "register", "spark_session"]


def match(
    df: DataFrame,
    snapshot: Strategy | IndexRef | str | os.PathLike[str],
    taxonomy: Taxonomy | None = None,
    *,
    progress_folder: str | None = None,
) -> DataFrame:
    """Match every event of a DataFrame against an index.

    `df` has the columns event, source, time and payload (N-Quads), as `spark.read.format("triplewire")` gives them;
    `snapshot` is what `strategies.prepare` returned, or a folder that `Matcher.save` or `build_index` wrote, which
    every task maps whole. The result has subscription, event, time, solutions and lane. A payload that is no sound
    event fails the query with its event and line: filter such rows out before. With `progress_folder`, which they
    share with the driver, tasks write there how far they are.
    """
    from triplewire.pipeline.rows import EVENT_SCHEMA

    missing = [name for name in EVENT_SCHEMA.names if name not in df.columns]
    if missing:
        raise InputError(wanted=f"the columns {', '.join(EVENT_SCHEMA.names)}", found=f"no {' and no '.join(missing)}")
    return _strategy(snapshot, taxonomy).match(df, progress_folder)


def _strategy(given: Strategy | IndexRef | str | os.PathLike[str], taxonomy: Taxonomy | None) -> Strategy:
    from triplewire.pipeline.strategies.replicate import Replicate

    if isinstance(given, IndexRef):
        return Replicate(given)
    if isinstance(given, str | os.PathLike):
        return Replicate(index_of_snapshot(given, taxonomy))
    return given


def open_table(
    spark: SparkSession,
    lake: str | os.PathLike[str],
    table: str,
    *,
    as_of: str | None = None,
    storage: Mapping[str, str] | None = None,
) -> DataFrame:
    """A table of a lake, with what complete commits have brought, now or as of a version of `runs` or a time.

    It stays as it is, whatever is committed or compacted meanwhile, until `vacuum` removes files that were replaced.
    """
    from triplewire.pipeline.lake.dataframes import read_table
    from triplewire.pipeline.lake.event_lake import existing_lake
    from triplewire.pipeline.storage.location import Location

    return read_table(spark, existing_lake(Location.of(lake, storage).absolute()).state(as_of), table)


def register(spark: SparkSession) -> None:
    """Make `spark.read.format("triplewire")` and `readStream` known to a session.

    Raises `SparkUnavailable` with what is missing if the session's workers cannot import Triplewire.
    """
    require_workers(spark)
    carry_kernels(spark)
    from triplewire.pipeline.sources.datasource import register as known_to

    known_to(spark)
