"""The front door: prepare an index for a strategy, and match events with it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import InputError
from triplewire.pipeline.index import IndexRef, build_index
from triplewire.pipeline.matching import match
from triplewire.pipeline.paths import local_path
from triplewire.pipeline.strategies.auto import Strategy, chosen, index_bytes, parts_for
from triplewire.pipeline.strategies.csma import csma
from triplewire.pipeline.strategies.memory import memory_here
from triplewire.pipeline.strategies.osma import osma
from triplewire.pipeline.strategies.prepared import Chains, Parts, prepare_chains, prepare_parts

Prepared = IndexRef | Parts | Chains


def prepare(
    spark: SparkSession,
    subscriptions: Sequence[Subscription],
    root: str | os.PathLike[str],
    strategy: Strategy | str = Strategy.AUTO,
    *,
    taxonomy: Taxonomy | None = None,
    parts: int | None = None,
) -> Prepared:
    """Write what the strategy needs under `root`, unless it is there already."""
    wanted, home = strategy_named(strategy), local_path(root)
    size = index_bytes(subscriptions)
    if wanted is Strategy.AUTO:
        wanted = chosen(size, _least_memory(spark))
    if wanted is Strategy.REPLICATE:
        return build_index(subscriptions, taxonomy, home)
    if wanted is Strategy.CSMA:
        return prepare_chains(subscriptions, taxonomy, home)
    cores = spark.sparkContext.defaultParallelism
    number = parts_for(size, _least_memory(spark), cores) if parts is None else parts
    return prepare_parts(subscriptions, taxonomy, home, number)


def matched(df: DataFrame, prepared: Prepared, progress_folder: str | None = None) -> DataFrame:
    """The notifications of events, one row a match (`rows.MATCH_COLUMNS`), whatever the strategy.

    With `progress_folder`, a folder of the lake, tasks tell there how far they are and whom they quarantined (see
    `pipeline.progress`), and find the index where it lies.
    """
    if isinstance(prepared, Parts):
        return osma(df, prepared, progress_folder)
    if isinstance(prepared, Chains):
        return csma(df, prepared, progress_folder)
    return match(df, prepared, progress_folder=progress_folder)


def strategy_of(prepared: Prepared) -> Strategy:
    """What an index was prepared for: what `auto` has picked, where that was asked for."""
    if isinstance(prepared, Parts):
        return Strategy.OSMA
    return Strategy.CSMA if isinstance(prepared, Chains) else Strategy.REPLICATE


def strategy_named(name: Strategy | str) -> Strategy:
    """A strategy by its name."""
    try:
        return Strategy(name)
    except ValueError:
        known = ", ".join(strategy.value for strategy in Strategy)
        raise InputError(f"wanted one of the strategies {known}, found {name!r}") from None


def _least_memory(spark: SparkSession) -> int:
    """The memory of the smallest host that a task ran on."""
    tasks = spark.sparkContext.defaultParallelism
    return int(spark.sparkContext.parallelize(range(tasks), tasks).map(lambda _: memory_here()).min())
