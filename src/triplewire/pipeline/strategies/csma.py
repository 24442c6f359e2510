"""Step by step: quads travel alone, and a subscription is rewritten with what each quad has bound.

    quads     (event, subject, predicate, object)            fingerprints only, sixty-four bits a term
    partial   (event, chain, what the quads so far have bound)

The first sub-subscription of every chain meets quads by its constants. What matched goes on to the quads of the same
event by the next sub-subscription's constants and bindings, and so on, a join a step, whatever the number of
subscriptions. At the end the event is put together again and verified by the matcher, against the subscriptions whose
chains came through: constraints, and everything that fingerprints cannot tell. No task holds an index; subscriptions
are rows of tables.

Duplicates, which the paper filters at the subscriber, go at every step: two ways to bind what is still needed are one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, reduce
from pathlib import Path
from secrets import randbits
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  as everybody names it

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching import Matcher
from triplewire.pipeline.index import IndexRef, index_at, version_of
from triplewire.pipeline.lake.table_writers import Draft
from triplewire.pipeline.payloads import match_batch
from triplewire.pipeline.placement import located, matcher_of, place, reaches_tasks
from triplewire.pipeline.progress import Counts, TaskProgress
from triplewire.pipeline.rows import EVENT_SCHEMA, MATCH_COLUMNS
from triplewire.pipeline.sources.splits import Task
from triplewire.pipeline.storage.location import Location
from triplewire.pipeline.strategies.chains import CHAINS, LONGEST, TEXTS, write_tables
from triplewire.pipeline.strategies.fingerprints import POSITIONS, quads_in
from triplewire.pipeline.strategies.prepared_folders import FORMAT, prepared_once, save_part
from triplewire.pipeline.strategies.replicate import matching

Batches = Iterator[pa.RecordBatch]

_TERMS = ("subject", "predicate", "object")
_QUADS = "key long, subject long, predicate long, object long"
_MOST_KEPT = 20_000


class Csma(Struct, frozen=True):
    """Subscriptions as rows of tables. `seed` is the one that fingerprints are made with."""

    folder: str
    version: str
    seed: int
    subscriptions: int
    format: int = FORMAT

    name: ClassVar[str] = "csma"

    @classmethod
    def prepare(
        cls,
        spark: SparkSession,
        subscriptions: Sequence[Subscription],
        root: Path,
        taxonomy: Taxonomy | None = None,
        parts: int | None = None,
    ) -> Csma:
        return prepare_chains(subscriptions, taxonomy, root)

    @property
    def index(self) -> IndexRef:
        return IndexRef(self.folder, self.version, self.subscriptions, self.open_index.taxonomy_version)

    @property
    def open_index(self) -> IndexRef:
        """The index of the subscriptions that no constant leads to."""
        return index_at(Path(self.folder) / _open_name(self.version, self.seed))

    def match(self, events: DataFrame, progress_folder: Location | str | None = None) -> DataFrame:
        spark = events.sparkSession
        opened = place(spark, self.open_index, progress_folder)
        if opened.subscriptions == self.subscriptions:
            return events.mapInArrow(matching(opened, progress_folder), MATCH_COLUMNS)
        keyed = events.select(*EVENT_SCHEMA.names).withColumn("key", F.xxhash64("event"))
        # Every step reads the quads again. Shuffled by event they are an exchange that Spark makes once and reuses.
        quads = keyed.mapInArrow(_exploding(self.seed, progress_folder), _QUADS).repartition("key")
        candidates = _candidates(quads, _chains(spark, self.folder, progress_folder))
        texts = _table(spark, self.folder, TEXTS, progress_folder)
        chained = _verified(keyed, candidates, texts, _verifying(opened, progress_folder))
        if not opened.subscriptions:
            return chained
        return chained.unionByName(events.mapInArrow(_matching_open(opened, progress_folder), MATCH_COLUMNS))

    def match_splits(self, spark: SparkSession, tasks: list[Task], draft: Draft, *, strict: bool) -> None:
        """Quads have to travel to where their chains go on."""


def prepare_chains(subscriptions: Sequence[Subscription], taxonomy: Taxonomy | None, root: Path) -> Csma:
    """Write the chains and texts as tables, and an index of what has no chain."""
    version = version_of(subscriptions, taxonomy)

    def write(draft: Path, folder: Path) -> Csma:
        seed = randbits(63)
        opened = write_tables(subscriptions, seed, draft)
        save_part(opened, taxonomy, draft, _open_name(version, seed))
        return Csma(str(folder), version, seed, len(subscriptions))

    return prepared_once(root / f"{version}-csma", Csma, write)


def _open_name(version: str, seed: int) -> str:
    return f"{version}-{seed:016x}-open"


def _exploding(seed: int, progress_folder: Location | str | None) -> Callable[[Batches], Batches]:
    def explode(batches: Batches) -> Batches:
        progress = TaskProgress(progress_folder)
        for batch in batches:
            progress.add(Counts(events=len(batch)))
            quads = quads_in(batch, seed)
            keys = np.asarray(batch.column("key"))[quads.rows]
            columns = [pa.array(column) for column in (keys, *quads.fingerprints)]
            yield pa.RecordBatch.from_arrays(columns, ["key", *_TERMS])

    return explode


def _table(spark: SparkSession, folder: str, name: str, progress_folder: Location | str | None) -> DataFrame:
    """A table of the prepared folder: read where it lies, or carried in the query's own plan."""
    path = Path(folder).resolve() / name
    if reaches_tasks(spark, progress_folder):
        return spark.read.parquet(str(path))
    return spark.createDataFrame(pq.read_table(path))


def _chains(spark: SparkSession, folder: str, progress_folder: Location | str | None) -> DataFrame:
    return _table(spark, folder, CHAINS, progress_folder).withColumn(
        "chain", F.xxhash64("subscription", "constants", "slots", "masks")
    )


def _candidates(quads: DataFrame, chains: DataFrame) -> DataFrame:
    """Pairs of an event's key and a subscription whose chain came through, each once."""
    masks = _masks_in_use(chains)
    if not masks:
        return quads.sparkSession.createDataFrame([], "key long, subscription string")
    later = sorted({mask for some in masks[1:] for mask in some})
    partial = [_first(quads, _step(chains, 0), masks[0])]
    for number in range(1, len(masks)):
        partial.append(_next(partial[-1], quads, _step(chains, number), number, later))
    reached = [some.select("key", "chain", F.lit(step).alias("step")) for step, some in enumerate(partial)]
    # A join, not a filter: Spark would push a filter down into every step, and then compute each of them twice.
    ends = chains.select("chain", "subscription", (F.size("masks") - 1).alias("step"))
    through = reduce(DataFrame.unionByName, reached).join(ends, ["chain", "step"])
    return through.select("key", "subscription").distinct()


def _masks_in_use(chains: DataFrame) -> list[list[int]]:
    """For each step of the longest chain, the masks that some chain has there."""
    rows = chains.select(F.posexplode("masks").alias("step", "mask")).distinct().collect()
    found: list[list[int]] = [[] for _ in range(LONGEST)]
    for step, mask in sorted(map(tuple, rows)):
        found[step].append(mask)
    return [masks for masks in found if masks]


def _step(chains: DataFrame, number: int) -> DataFrame:
    """One step of every chain that is long enough, as flat columns."""
    places = range(3 * number, 3 * number + 3)
    return chains.where(F.size("masks") > number).select(
        "chain",
        F.col("masks")[number].alias("mask"),
        *(F.col("constants")[place].alias(f"constant{place % 3}") for place in places),
        *(F.col("slots")[place].alias(f"slot{place % 3}") for place in places),
        *(F.col("wanted")[place].alias(f"wanted{place % 3}") for place in places),
    )


def _known(mask: Column, values: tuple[Column, ...]) -> list[Column]:
    """The values at the positions of a mask; nothing elsewhere."""
    pairs = zip(POSITIONS, values, strict=True)
    return [F.when(mask.bitwiseAND(F.lit(position)) != 0, value) for position, value in pairs]


def _by_masks(quads: DataFrame, masks: list[int]) -> DataFrame:
    """Every quad once for each mask, with the mask and what is known under it as one number."""
    terms = tuple(F.col(term) for term in _TERMS)
    numbers = [F.xxhash64(F.lit(mask), *_known(F.lit(mask), terms)) for mask in masks]
    return quads.withColumn("meeting", F.explode(F.array(*numbers)))


def _bound(number: int) -> list[Column]:
    """What a quad binds at a step, as far as later steps ask for it."""
    pairs = enumerate(_TERMS)
    return [F.when(F.col(f"wanted{i}"), F.col(term)).alias(f"bound{3 * number + i}") for i, term in pairs]


def _first(quads: DataFrame, step: DataFrame, masks: list[int]) -> DataFrame:
    constants = tuple(F.col(f"constant{i}") for i in range(3))
    waiting = step.withColumn("meeting", F.xxhash64("mask", *_known(F.col("mask"), constants)))
    met = _by_masks(quads, masks).join(waiting, "meeting")
    return met.select("key", "chain", *_bound(0)).distinct()


def _next(partial: DataFrame, quads: DataFrame, step: DataFrame, number: int, masks: list[int]) -> DataFrame:
    earlier = [f"bound{place}" for place in range(3 * number)]
    rewritten = partial.join(step, "chain")
    values = tuple(_value(i, earlier) for i in range(3))
    waiting = rewritten.withColumn("meeting", F.xxhash64("mask", *_known(F.col("mask"), values)))
    met = waiting.join(_by_masks(quads, masks), ["key", "meeting"])
    return met.select("key", "chain", *earlier, *_bound(number)).distinct()


def _value(position: int, earlier: list[str]) -> Column:
    """What a position must be: an earlier binding, else the constant."""
    slot = F.col(f"slot{position}")
    bound = F.element_at(F.array(*earlier), slot + 1)
    return F.when(slot >= 0, bound).otherwise(F.col(f"constant{position}"))


def _verified(
    events: DataFrame, candidates: DataFrame, texts: DataFrame, verify: Callable[[Batches], Batches]
) -> DataFrame:
    asked = candidates.join(texts, "subscription").groupBy("key")
    lists = asked.agg(F.collect_list(F.struct("subscription", "language", "text", "owner")).alias("asked"))
    whole = events.join(lists, "key").drop("key")
    return whole.mapInArrow(verify, MATCH_COLUMNS)


def _verifying(opened: IndexRef, progress_folder: Location | str | None) -> Callable[[Batches], Batches]:
    def verify(batches: Batches) -> Batches:
        progress = TaskProgress(progress_folder)
        for batch in batches:
            yield from _matches(_verifier(opened).holding(batch.column("asked")), batch, progress)

    return verify


def _matching_open(opened: IndexRef, progress_folder: Location | str | None) -> Callable[[Batches], Batches]:
    """Every event meets the subscriptions that no chain leads to. Events are counted where they are exploded."""

    def match(batches: Batches) -> Batches:
        progress = TaskProgress(progress_folder)
        for batch in batches:
            yield from _matches(matcher_of(opened), batch, progress)

    return match


def _matches(matcher: Matcher, batch: pa.RecordBatch, progress: TaskProgress) -> Iterator[pa.RecordBatch]:
    found = match_batch(matcher, batch)
    progress.add(Counts(matches=len(found)))
    progress.quarantine(matcher.quarantined)
    yield from found.to_batches()


class _Verifier:
    """A matcher that holds the subscriptions asked for lately, so that a worker parses each once."""

    def __init__(self, opened: IndexRef) -> None:
        self._taxonomy = located(opened).taxonomy()
        self._matcher = Matcher(self._taxonomy)

    def holding(self, asked: pa.ListArray) -> Matcher:
        """A matcher that has them all. It may have others: what it finds of those, their own chains find as well."""
        wanted = {row["subscription"]: row for row in asked.flatten().to_pylist()}
        if len(self._matcher) > _MOST_KEPT:
            self._matcher = Matcher(self._taxonomy)
        for name, row in wanted.items():
            if name not in self._matcher:
                self._matcher.add(Subscription.parse(row["text"], row["language"], id=name, owner=row["owner"]))
        return self._matcher


# One: a newer index has other subscriptions under the same names.
@lru_cache(maxsize=1)
def _verifier(opened: IndexRef) -> _Verifier:
    return _Verifier(opened)
