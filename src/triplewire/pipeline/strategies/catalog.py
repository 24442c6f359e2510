"""Strategies by their names, and indexes of the past by the versions that runs have recorded."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import InputError
from triplewire.pipeline.index import index_at
from triplewire.pipeline.storage.location import Location
from triplewire.pipeline.strategies.capacity import fits, index_bytes, least_memory
from triplewire.pipeline.strategies.csma import Csma
from triplewire.pipeline.strategies.osma import Osma
from triplewire.pipeline.strategies.prepared_folders import read_prepared
from triplewire.pipeline.strategies.replicate import Replicate
from triplewire.pipeline.strategies.strategy import Strategy

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REPLICATE, AUTO = Replicate.name, "auto"

_PREPARED = re.compile(r"^(?P<version>[0-9a-f]+)(?:-(?P<strategy>osma|csma)(?:-\d+)?)?$")


def prepare(
    spark: SparkSession,
    subscriptions: Sequence[Subscription],
    root: str | os.PathLike[str],
    strategy: str = AUTO,
    *,
    taxonomy: Taxonomy | None = None,
    parts: int | None = None,
) -> Strategy:
    """Write what the strategy of this name needs under `root`, unless it is there already."""
    known: dict[str, Callable[..., Strategy]] = {
        REPLICATE: Replicate.prepare,
        Osma.name: Osma.prepare,
        Csma.name: Csma.prepare,
        AUTO: _prepare_fitting,
    }
    if strategy not in known:
        raise InputError(wanted=f"one of the strategies {', '.join(known)}", found=repr(strategy))
    return known[strategy](spark, subscriptions, Location.of(root).local, taxonomy, parts)


def _prepare_fitting(
    spark: SparkSession,
    subscriptions: Sequence[Subscription],
    root: Path,
    taxonomy: Taxonomy | None = None,
    parts: int | None = None,
) -> Strategy:
    """Replicate while the whole index has room on every host, else osma: csma is for those who ask for it."""
    if fits(index_bytes(subscriptions), least_memory(spark)):
        return Replicate.prepare(spark, subscriptions, root, taxonomy)
    return Osma.prepare(spark, subscriptions, root, taxonomy, parts)


def versions_of(names: Iterable[str]) -> list[str]:
    """The versions of what was prepared in folders of these names."""
    named = map(_PREPARED.match, names)
    return sorted({found["version"] for found in named if found})


def strategy_at(root: Path, version: str) -> Strategy | None:
    """The strategy with the index of a version: the whole index if it is there, else what osma or csma had."""
    found = {match["strategy"]: path for path in sorted(root.glob(f"{version}*")) if (match := _of(path, version))}
    if None in found:
        return Replicate(index_at(found[None]))
    if Osma.name in found:
        return read_prepared(found[Osma.name], Osma)
    return read_prepared(found[Csma.name], Csma) if Csma.name in found else None


def _of(path: Path, version: str) -> re.Match[str] | None:
    found = _PREPARED.match(path.name)
    return found if found is not None and found["version"] == version else None
