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
from triplewire.pipeline.sources.split_reader import Reject
from triplewire.pipeline.storage.copies import files_here
from triplewire.pipeline.storage.location import Location
from triplewire.pipeline.strategies.catalog import REPLICATE
from triplewire.pipeline.strategies.index_store import prepare_in
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
    """A strategy with the index of what could be subscribed, and a reject for what could not."""

    strategy: Strategy
    rejects: list[Reject]


class ReadSubscriptions(Struct, frozen=True):
    """What subscription files hold."""

    good: list[Subscription]
    bad: list[Reject]


def load_subscriptions(
    spark: SparkSession, files: SubscriptionFiles, root: Location, strategy: str = REPLICATE
) -> LoadedSubscriptions:
    """Read the files, and prepare the strategy of this name under `root`, or find it prepared."""
    read = read_all(files.subscriptions, strict=files.strict, storage=files.storage)
    taxonomy = read_taxonomy(files.taxonomy, files.storage)
    try:
        return LoadedSubscriptions(prepare_in(spark, read.good, root, strategy, taxonomy), read.bad)
    except TriplewireError:
        refused = _refused(read.good, taxonomy)
        if not refused:
            raise
    if files.strict:
        raise BadInputRefused(len(refused), tuple(f"{r.subscription}: {r.reason}" for r in refused[:_SHOWN]))
    names = {reject.subscription for reject in refused}
    kept = [subscription for subscription in read.good if subscription.id not in names]
    return LoadedSubscriptions(prepare_in(spark, kept, root, strategy, taxonomy), [*read.bad, *refused])


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
        good, bad = read_subscriptions(copies.paths)
        bad = [replace(entry, source=copies.origin(entry.source)) for entry in bad]
    rejects = [_reject(entry) for entry in bad]
    if strict and bad:
        raise BadInputRefused(len(bad), tuple(str(entry) for entry in bad[:_SHOWN]))
    if not good:
        reasons = "".join(f"\n  {entry}" for entry in bad[:_SHOWN])
        raise InputError(wanted="at least one subscription", found=f"none that can be read:{reasons}")
    return ReadSubscriptions(good, rejects)


def _reject(entry: BadEntry) -> Reject:
    return Reject(entry.source, entry.place or None, None, entry.id, str(entry.error))
