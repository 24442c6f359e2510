"""Subscription files become an index. What cannot be read is a reject, with its place; a strict run refuses it all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import BadInputRefused, InputError, TriplewireError
from triplewire.languages.files import BadEntry, read_subscriptions
from triplewire.matching.matcher import Matcher
from triplewire.pipeline.index import IndexRef, index_at, save_index, version_of
from triplewire.pipeline.paths import local_name, local_path
from triplewire.pipeline.sources.split_reader import Reject
from triplewire.rdf.formats import format_of_path

_SHOWN = 20


class Subscribed(Struct, frozen=True):
    """An index, the subscriptions in it, and what could not be subscribed."""

    index: IndexRef
    rejects: list[Reject]


class Read(Struct, frozen=True):
    """What subscription files hold."""

    good: list[Subscription]
    bad: list[Reject]


def read_taxonomy(path: str | None) -> Taxonomy | None:
    """The taxonomy in an RDF file, if one is named."""
    if path is None:
        return None
    file = local_path(path)
    return Taxonomy.parse(file, format=format_of_path(file).name)


def read_all(paths: Sequence[str], *, strict: bool) -> Read:
    """Every subscription that can be read. Raises if a strict run finds a bad one, or if there is no good one."""
    good, bad = read_subscriptions([local_name(path) for path in paths])
    rejects = [_reject(entry) for entry in bad]
    if strict and bad:
        raise BadInputRefused(len(bad), tuple(str(entry) for entry in bad[:_SHOWN]))
    if not good:
        reasons = "".join(f"\n  {entry}" for entry in bad[:_SHOWN])
        raise InputError(f"wanted at least one subscription, found none that can be read:{reasons}")
    return Read(good, rejects)


def subscribe(read: Read, taxonomy: Taxonomy | None, root: Path, *, strict: bool) -> Subscribed:
    """Build the index of what was read, or find it built."""
    version = version_of(read.good, taxonomy)
    if (root / version / "index.json").is_file():
        return Subscribed(index_at(root / version), read.bad)
    matcher, refused = Matcher(taxonomy), []
    for subscription in read.good:
        try:
            matcher.add(subscription)
        except TriplewireError as problem:
            refused.append(Reject(None, None, None, subscription.id, str(problem)))
    if refused:
        if strict:
            raise BadInputRefused(len(refused), tuple(f"{r.subscription}: {r.reason}" for r in refused[:_SHOWN]))
        kept = [s for s in read.good if s.id in matcher]
        version = version_of(kept, taxonomy)
    return Subscribed(save_index(matcher, version, root), [*read.bad, *refused])


def _reject(entry: BadEntry) -> Reject:
    return Reject(entry.source, entry.place or None, None, entry.id, str(entry.error))
