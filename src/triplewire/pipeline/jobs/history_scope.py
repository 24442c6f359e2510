"""Which events of a lake's history can matter: by their time, and by what the subscriptions require.

An event that satisfies a subscription has, for one of its cores, a quad for each of the core's patterns. Where those
patterns fix a predicate and one end of it, `quads`, which is sorted by them, tells the few events that have such quads:
files and row groups are passed over by their least and greatest values. The rest is matched as ever, so what is found
here may be too much and never too little.

Events whose quads the table lacks are all looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.matching.chains.anchors import Anchor, anchors_of
from triplewire.matching.scanning.strict_parser import spelling
from triplewire.pipeline.jobs.compaction_scope import files_with, quad_scope
from triplewire.pipeline.lake.delta_tables import TableFile
from triplewire.pipeline.lake.states import LakeState
from triplewire.pipeline.lake.tables import EVENTS, QUADS
from triplewire.pipeline.rows import EVENT_COLUMNS, EVENT_SCHEMA
from triplewire.pipeline.storage.files import open_range
from triplewire.pipeline.storage.location import Location

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Beyond these it is cheaper to match everything.
_MOST_PATTERNS, _LARGEST_SHARE = 2_000, 0.2
_POSITIONS = ("subject", "predicate", "object")
_HITS = "core int, pattern int, event string"
_HITS_SCHEMA = pa.schema([("core", pa.int32()), ("pattern", pa.int32()), ("event", pa.string())])


class QuadPattern(Struct, frozen=True):
    """What a quad must be, as the table `quads` spells it."""

    subject: str | None
    predicate: str | None
    object: str | None


class _Search(Struct, frozen=True):
    files: list[Location]
    cores: list[list[QuadPattern]]


class _Selection(Struct, frozen=True):
    files: list[Location]
    names: list[str]


def selective_cores(subscriptions: Sequence[Subscription]) -> list[list[QuadPattern]] | None:
    """For each core the patterns by which `quads` can be searched; None if a core has none, or there are too many."""
    cores: list[list[QuadPattern]] = []
    for subscription in subscriptions:
        for core in anchors_of(subscription):
            found = [_pattern(anchor) for anchor in core if _is_selective(anchor)]
            if not found:
                return None
            cores.append(found)
        if sum(map(len, cores)) > _MOST_PATTERNS:
            return None
    return cores


def _is_selective(anchor: Anchor) -> bool:
    return anchor.predicate is not None and (anchor.object is not None or anchor.subject is not None)


def _pattern(anchor: Anchor) -> QuadPattern:
    return QuadPattern(*(None if term is None else spelling(term) for term in anchor.terms))


def candidates(
    spark: SparkSession, state: LakeState, subscriptions: Sequence[Subscription], files: Sequence[TableFile]
) -> DataFrame | None:
    """The events, of those files, that can matter to the subscriptions. None if that is no small part of them."""
    lacking = quad_scope(state).commits
    cores = selective_cores(subscriptions)
    if lacking is None or cores is None:
        return None
    unsorted = {file.path for file in files_with(files, lacking)}
    covered = [file for file in files if file.path not in unsorted]
    total = sum(file.rows for file in covered)
    names = _names(spark, state, cores, round(total * _LARGEST_SHARE))
    if names is None:
        return None
    rows = _selected(spark, [state.location(EVENTS, file) for file in covered], names)
    if unsorted:
        from triplewire.pipeline.lake.dataframes import read_files

        others = [file for file in files if file.path in unsorted]
        rows = rows.unionByName(read_files(spark, state, EVENTS, others, EVENT_SCHEMA.names))
    return rows


def _names(spark: SparkSession, state: LakeState, cores: list[list[QuadPattern]], most: int) -> list[str] | None:
    """The events that have a quad for each pattern of some core; None if there are too many."""
    patterns = [pattern for core in cores for pattern in core]
    files = [
        file for file in state.files(QUADS) if any(_may_hold(pattern, file.low, file.high) for pattern in patterns)
    ]
    if not files:
        return []
    search = _Search([state.location(QUADS, file) for file in files], cores)
    hits = spark.range(0, len(files), 1, len(files)).mapInArrow(_searching(search), _HITS)
    from pyspark.sql import functions as F  # noqa: N812  as everybody names it

    needed = spark.createDataFrame([(number, len(core)) for number, core in enumerate(cores)], "core int, needed int")
    met = hits.groupBy("core", "event").agg(F.countDistinct("pattern").alias("met")).join(needed, "core")
    rows = met.where("met = needed").select("event").distinct().limit(most + 1).collect()
    return None if len(rows) > most else sorted(row.event for row in rows)


def _may_hold(pattern: QuadPattern, low: dict[str, str], high: dict[str, str]) -> bool:
    for name in _POSITIONS:
        wanted, least, greatest = getattr(pattern, name), low.get(name), high.get(name)
        # By code points, which is the order of UTF-8, and so of Delta and Parquet.
        if wanted is not None and least is not None and greatest is not None and not least <= wanted <= greatest:
            return False
    return True


def _searching(search: _Search) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    message = msgspec.msgpack.encode(search)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        here = msgspec.msgpack.decode(message, type=_Search)
        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            with open_range(here.files[number]) as stream, pq.ParquetFile(stream) as file:
                yield from _hits(file, here.cores)

    return run


def _hits(file: pq.ParquetFile, cores: list[list[QuadPattern]]) -> Iterator[pa.RecordBatch]:
    for group in range(file.num_row_groups):
        low, high = _bounds(file.metadata.row_group(group))
        wanted = [
            (core, place, pattern)
            for core, patterns in enumerate(cores)
            for place, pattern in enumerate(patterns)
            if _may_hold(pattern, low, high)
        ]
        if not wanted:
            continue
        rows = file.read_row_group(group, columns=[*_POSITIONS, "event"])
        for core, place, pattern in wanted:
            events = rows.filter(_test(rows, pattern)).column("event").combine_chunks()
            if len(events):
                columns = [pa.repeat(pa.scalar(value, pa.int32()), len(events)) for value in (core, place)]
                yield pa.RecordBatch.from_arrays([*columns, events.cast(pa.string())], schema=_HITS_SCHEMA)


def _test(rows: pa.Table, pattern: QuadPattern) -> pa.ChunkedArray:
    tests = [pc.equal(rows[name], value) for name in _POSITIONS if (value := getattr(pattern, name)) is not None]
    found = tests[0]
    for test in tests[1:]:
        found = pc.and_(found, test)
    return found


def _bounds(group: pq.RowGroupMetaData) -> tuple[dict[str, str], dict[str, str]]:
    low: dict[str, str] = {}
    high: dict[str, str] = {}
    for number in range(group.num_columns):
        column = group.column(number)
        if column.statistics is not None and column.statistics.has_min_max:
            low[column.path_in_schema], high[column.path_in_schema] = column.statistics.min, column.statistics.max
    return low, high


def _selected(spark: SparkSession, files: list[Location], names: list[str]) -> DataFrame:
    """Events by their names. Of a row group that has none of them only the names are read."""
    if not files or not names:
        return spark.createDataFrame([], EVENT_COLUMNS)
    selection = msgspec.msgpack.encode(_Selection(files, names))

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        here = msgspec.msgpack.decode(selection, type=_Selection)
        wanted = pa.array(here.names, pa.string())
        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            with open_range(here.files[number]) as stream, pq.ParquetFile(stream) as file:
                yield from _events(file, wanted)

    return spark.range(0, len(files), 1, len(files)).mapInArrow(run, EVENT_COLUMNS)


def _events(file: pq.ParquetFile, names: pa.Array) -> Iterator[pa.RecordBatch]:
    least, greatest = names[0].as_py(), names[len(names) - 1].as_py()
    for group in range(file.num_row_groups):
        low, high = _bounds(file.metadata.row_group(group))
        if high.get("event", greatest) < least or low.get("event", least) > greatest:
            continue
        met = pc.is_in(file.read_row_group(group, columns=["event"])["event"], value_set=names)
        if pc.any(met).as_py():
            rows = file.read_row_group(group, columns=EVENT_SCHEMA.names).filter(met)
            yield from rows.select(EVENT_SCHEMA.names).cast(EVENT_SCHEMA).to_batches()
