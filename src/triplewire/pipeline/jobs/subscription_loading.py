"""Subscription files become a strategy with its index.

What cannot be read, or not be indexed, is a reject, with its place; a strict run refuses it all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import BadInputRefused, InputError, TriplewireError
from triplewire.languages.files import BadEntry, read_subscriptions
from triplewire.matching.matcher import Matcher
from triplewire.pipeline.indexing.building import compile_changes, put_in_place
from triplewire.pipeline.indexing.compiling import refused_entry
from triplewire.pipeline.indexing.rows import SubscriptionRows, read_rows
from triplewire.pipeline.indexing.tables import with_delta_tables
from triplewire.pipeline.sources.split_reader import Reject
from triplewire.pipeline.storage.copies import files_here
from triplewire.pipeline.storage.location import Location
from triplewire.pipeline.strategies.capacity import bytes_of, fits, least_memory
from triplewire.pipeline.strategies.catalog import AUTO, REPLICATE
from triplewire.pipeline.strategies.index_store import folder_here, keep_in, prepare_in
from triplewire.pipeline.strategies.osma import Osma
from triplewire.pipeline.strategies.replicate import Replicate
from triplewire.pipeline.strategies.strategy import Strategy
from triplewire.rdf.formats import format_of_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SHOWN = 20


class SubscriptionFiles(Protocol):
    """The part of a request that names subscriptions."""

    @property
    def subscriptions(self) -> tuple[str, ...]: ...
    @property
    def taxonomy(self) -> str | None: ...
    @property
    def strict(self) -> bool: ...
    @property
    def storage(self) -> dict[str, str]: ...


class LoadedSubscriptions(Struct, frozen=True):
    """A strategy with the index of what could be subscribed, and a reject for what could not.

    `subscriptions` are those of the index, where they were read; an index of the past does without.
    """

    strategy: Strategy
    rejects: list[Reject]
    subscriptions: list[Subscription] = []


class ReadSubscriptions(Struct, frozen=True):
    """What subscription files hold."""

    good: list[Subscription]
    bad: list[Reject]


def load_subscriptions(
    spark: SparkSession, files: SubscriptionFiles, root: Location, strategy: str = REPLICATE
) -> LoadedSubscriptions:
    """Read the files, and prepare the strategy of this name under `root`, or find it prepared."""
    taxonomy = read_taxonomy(files.taxonomy, files.storage)
    if strategy in (REPLICATE, AUTO):
        with files_here(files.subscriptions, files.storage) as copies:
            rows = read_rows(with_delta_tables(copies.paths), copies.origin)
        size = bytes_of(rows.table.num_rows, rows.characters)
        if strategy == REPLICATE or fits(size, least_memory(spark)):
            return _indexed(spark, rows, taxonomy, root, strict=files.strict)
        strategy = Osma.name
    return _prepared(spark, files, taxonomy, root, strategy)


def _indexed(
    spark: SparkSession, rows: SubscriptionRows, taxonomy: Taxonomy | None, root: Location, *, strict: bool
) -> LoadedSubscriptions:
    """The whole index: what has changed since the last one is compiled, in tasks if it is much."""
    here = folder_here(root)
    pending = compile_changes(spark, rows.table, here)
    refused = [*map(refused_entry, rows.bad), *pending.refused]
    if strict and refused:
        raise BadInputRefused(len(refused), tuple(problem.shown for problem in refused[:_SHOWN]))
    if not pending.subscriptions:
        raise _nothing_subscribed([problem.shown for problem in refused])
    index = put_in_place(pending, taxonomy, here)
    keep_in(root, Path(index.folder))
    return LoadedSubscriptions(Replicate(index), [problem.reject for problem in refused])


def _prepared(
    spark: SparkSession, files: SubscriptionFiles, taxonomy: Taxonomy | None, root: Location, strategy: str
) -> LoadedSubscriptions:
    """A strategy that cuts the subscriptions into parts of its own: all of them are parsed here."""
    read = read_all(files.subscriptions, strict=files.strict, storage=files.storage)
    try:
        return LoadedSubscriptions(prepare_in(spark, read.good, root, strategy, taxonomy), read.bad, read.good)
    except TriplewireError:
        refused = _refused(read.good, taxonomy)
        if not refused:
            raise
    if files.strict:
        raise BadInputRefused(len(refused), tuple(f"{r.subscription}: {r.reason}" for r in refused[:_SHOWN]))
    names = {reject.subscription for reject in refused}
    kept = [subscription for subscription in read.good if subscription.id not in names]
    return LoadedSubscriptions(prepare_in(spark, kept, root, strategy, taxonomy), [*read.bad, *refused], kept)


def _refused(subscriptions: Sequence[Subscription], taxonomy: Taxonomy | None) -> list[Reject]:
    """A reject for each subscription that no index takes."""
    matcher, refused = Matcher(taxonomy), []
    for subscription in subscriptions:
        try:
            matcher.add(subscription)
        except TriplewireError as problem:
            refused.append(Reject(None, None, None, subscription.id, str(problem)))
    return refused


def read_taxonomy(path: str | None, storage: Mapping[str, str] = MappingProxyType({})) -> Taxonomy | None:
    """The taxonomy in an RDF file, if one is named."""
    if path is None:
        return None
    with files_here([path], storage) as copies:
        file = Path(copies.paths[0])
        return Taxonomy.parse(file, format=format_of_path(file).name)


def read_all(
    paths: Sequence[str], *, strict: bool, storage: Mapping[str, str] = MappingProxyType({})
) -> ReadSubscriptions:
    """Every subscription that can be read. Raises if a strict run finds a bad one, or if there is no good one."""
    with files_here(paths, storage) as copies:
        good, bad = read_subscriptions(with_delta_tables(copies.paths))
        bad = [replace(entry, source=copies.origin(entry.source)) for entry in bad]
    rejects = [_reject(entry) for entry in bad]
    if strict and bad:
        raise BadInputRefused(len(bad), tuple(str(entry) for entry in bad[:_SHOWN]))
    if not good:
        raise _nothing_subscribed(list(map(str, bad)))
    return ReadSubscriptions(good, rejects)


def _nothing_subscribed(problems: Sequence[str]) -> InputError:
    reasons = "".join(f"\n  {problem}" for problem in problems[:_SHOWN])
    return InputError(wanted="at least one subscription", found=f"none that can be read:{reasons}")


def _reject(entry: BadEntry) -> Reject:
    return Reject(entry.source, entry.place or None, None, entry.id, str(entry.error))
