"""`compact`: few large files instead of many small ones, no row twice, and `quads` in lexicographic order.

`quads` is range-partitioned and sorted by predicate, object and subject: a pattern names its predicate nearly always,
so that it reads few files, and in them few row groups. It is made anew from `events` each time.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.errors import InputError, LakeError
from triplewire.pipeline.jobs.matching import driver_parts, new_run_id
from triplewire.pipeline.jobs.running import explained, versions
from triplewire.pipeline.lake.folder import Lake, existing_lake, open_lake
from triplewire.pipeline.lake.frames import read_table, rows_in, stage
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, QUADS, REJECTS, SCHEMAS, Run
from triplewire.pipeline.quads import QUAD_COLUMNS, quads_of
from triplewire.rdf.limits import MIB

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COMPACTED = (EVENTS, NOTIFICATIONS, REJECTS, QUADS)
_FILE_BYTES = 128 * MIB
# What makes a row of each table the same row.
_SAME = {EVENTS: ["event", "payload"], NOTIFICATIONS: ["subscription", "event"]}
_ORDER = {EVENTS: ["event"], NOTIFICATIONS: ["subscription", "event"], REJECTS: ["file", "line"]}


class CompactRequest(Struct, frozen=True, kw_only=True):
    """Which tables of which lake."""

    lake: str
    tables: tuple[str, ...] = COMPACTED


class Compacted(Struct, frozen=True):
    """What became of a table."""

    table: str
    files_before: int
    files_after: int
    rows: int


def compact(spark: SparkSession, request: CompactRequest) -> list[Compacted]:
    """Rewrite tables, each as one commit. A table without data stays as it is."""
    unknown = [table for table in request.tables if table not in COMPACTED]
    if unknown:
        raise InputError(f"wanted tables of {', '.join(COMPACTED)}, found {', '.join(unknown)}")
    existing_lake(Path(request.lake))
    with open_lake(Path(request.lake)) as lake:
        return [
            _compact(spark, lake, table) for table in COMPACTED if table in request.tables and _has_data(lake, table)
        ]


def _has_data(lake: Lake, table: str) -> bool:
    return bool(lake.files(EVENTS if table == QUADS else table))


def _compact(spark: SparkSession, lake: Lake, table: str) -> Compacted:
    started = datetime.now(UTC)
    old = lake.files(table)
    run_id = new_run_id(f"compact-{table}")
    with lake.drafting(run_id) as staging, explained():
        frame = _quads(spark, lake) if table == QUADS else _rewritten(spark, lake, table)
        parts = stage(frame.select(*SCHEMAS[table].names), staging, table, run_id)
    if not parts:
        raise LakeError(f"{lake.root}: wanted rows in the table {table}, found none")
    rows = rows_in(parts, table)
    run = _run(run_id, table, rows, started)
    removes = [f"{table}/{path.name}" for path in old]
    lake.publish(run_id, run_id, [*parts, *driver_parts(lake, run_id, run, [])], removes)
    return Compacted(table, len(old), len(lake.files(table)), rows)


def _rewritten(spark: SparkSession, lake: Lake, table: str) -> DataFrame:
    frame = read_table(spark, lake, table)
    if table in _SAME:
        frame = frame.dropDuplicates(_SAME[table])
    files = _files_for(lake, table)
    return frame.repartitionByRange(files, *_ORDER[table]).sortWithinPartitions(*_ORDER[table])


def _quads(spark: SparkSession, lake: Lake) -> DataFrame:
    events = read_table(spark, lake, EVENTS).select("payload", "run")
    order = ["predicate", "object", "subject", "event"]
    quads = events.mapInArrow(quads_of, QUAD_COLUMNS)
    return quads.repartitionByRange(_files_for(lake, EVENTS), *order).sortWithinPartitions(*order)


def _files_for(lake: Lake, table: str) -> int:
    size = sum(path.stat().st_size for path in lake.files(table))
    return max(1, -(-size // _FILE_BYTES))


def _run(run_id: str, table: str, rows: int, started: datetime) -> Run:
    ours, sparks = versions()
    return Run(
        run=run_id,
        job="compact",
        batch=None,
        strategy="",
        index=None,
        taxonomy=None,
        subscriptions=0,
        events=rows if table == EVENTS else 0,
        matches=rows if table == NOTIFICATIONS else 0,
        rejects=0,
        quarantined=0,
        inputs=[table],
        started=started,
        finished=datetime.now(UTC),
        triplewire=ours,
        spark=sparks,
    )
