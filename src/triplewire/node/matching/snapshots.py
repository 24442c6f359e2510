"""Snapshots of the matchers: what was compiled for matching is kept, so that a start need not do it again.

    matcher/index       which subscriptions are where, under one checksum
    matcher/<token>/    a matcher's snapshot, one for each grant

A snapshot is a shortcut and never the truth: the registry is. Each subscription in it carries a checksum of what the
registry said, the whole carries one of the code that compiled it; what is stale in part is corrected, and whatever is
damaged, of other code, or does not fit together is compiled anew.

Resource handling: matchers are written under fresh names, then the index is replaced, then what it no longer names is
removed. Whenever the process ends in between, the index names a whole snapshot.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import shutil
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct

import triplewire
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import SnapshotError
from triplewire.matching import Matcher
from triplewire.node.broker.subscription_index import SubscriptionIndex
from triplewire.node.matching.live_matchers import LiveMatchers
from triplewire.store.tables.identities import Grant
from triplewire.store.tables.registry import SubscriptionRecord
from triplewire.system.durable_files import remove_drafts, replace_file

_log = logging.getLogger(__name__)

FOLDER = "matcher"
_INDEX = "index"
# Fewer are compiled in less than a second.
WORTH = 1_000
_SUM_BYTES = 8
_SEAL_BYTES = 16
_COMPILING = ("rdf", "algebra", "languages", "matching")
_ROWS = np.dtype([("number", "<u8"), ("sum", "<u8"), ("flags", "u1")])
_UNINDEXED, _CONSTRUCT, _MATCHED = 1, 2, 4


class SnapshotRow(Struct, frozen=True):
    """What is known of a subscription without parsing it, as long as the registry's words have this checksum."""

    sum: int
    flags: int

    @property
    def is_unindexed(self) -> bool:
        return bool(self.flags & _UNINDEXED)

    @property
    def is_construct(self) -> bool:
        return bool(self.flags & _CONSTRUCT)

    @property
    def is_matched(self) -> bool:
        """Whether it was live, so that a matcher may have it."""
        return bool(self.flags & _MATCHED)


class SnapshotPart(Struct, frozen=True):
    """One matcher's snapshot."""

    grant: Grant
    token: str


class SnapshotIndex(Struct, frozen=True):
    """What the snapshot says of itself."""

    code: str
    rows: bytes
    parts: list[SnapshotPart]


class Snapshot(Struct, frozen=True):
    """What was read: rows by subscription number, matchers by grant."""

    rows: dict[int, SnapshotRow] = {}
    matchers: dict[Grant, Matcher] = {}

    def fits(self, records: list[SubscriptionRecord]) -> bool:
        """Whether every subscription that it knows is still what it was."""
        return all((row := self.rows.get(r.number)) is None or row.sum == sum_of(r) for r in records)


NOTHING = Snapshot()


def read(folder: Path, taxonomy: Taxonomy | None, records: list[SubscriptionRecord]) -> Snapshot:
    """The snapshot in a data folder, or `NOTHING` where none can be used."""
    home = folder / FOLDER
    if not (home / _INDEX).exists():
        return NOTHING
    try:
        _require_inside(home)
        snapshot = _opened(home, taxonomy)
    except (SnapshotError, OSError) as problem:
        _log.warning("subscriptions are compiled anew: %s", problem)
        return NOTHING
    if not snapshot.fits(records):
        _log.warning("subscriptions are compiled anew: the snapshot is of other subscriptions")
        return NOTHING
    return snapshot


def write(folder: Path, live: LiveMatchers, subscriptions: SubscriptionIndex) -> None:
    """Write a snapshot in place of the one that is there. Others may go on changing the matchers meanwhile."""
    home = folder / FOLDER
    _require_inside(home)
    home.mkdir(exist_ok=True, mode=0o700)
    matchers = live.by_grant
    parts = [SnapshotPart(grant, secrets.token_hex(8)) for grant in matchers]
    rows = _rows(live, subscriptions)
    for part in parts:
        matchers[part.grant].save(home / part.token)
    # What came while a matcher was saved may be in it.
    rows |= _rows(live, subscriptions)
    index = SnapshotIndex(_code(), _packed(rows), parts)
    replace_file(home / _INDEX, _sealed(msgspec.msgpack.encode(index)))
    _tidy(home, {part.token for part in parts})


def sum_of(record: SubscriptionRecord) -> int:
    """A checksum over what a subscription was compiled from."""
    words = f"{record.number}\0{record.language}\0{record.text}".encode()
    return int.from_bytes(hashlib.blake2b(words, digest_size=_SUM_BYTES).digest(), "little")


def _rows(live: LiveMatchers, subscriptions: SubscriptionIndex) -> dict[int, SnapshotRow]:
    return {
        record.number: SnapshotRow(sum_of(record), _flags(live, subscriptions, record.number))
        for record in subscriptions
    }


def _flags(live: LiveMatchers, subscriptions: SubscriptionIndex, number: int) -> int:
    flags = _UNINDEXED if subscriptions.progress(number).is_unindexed else 0
    if str(number) in live:
        flags |= _MATCHED | (_CONSTRUCT if live.constructs(str(number)) else 0)
    return flags


def _packed(rows: dict[int, SnapshotRow]) -> bytes:
    return np.array([(number, row.sum, row.flags) for number, row in rows.items()], _ROWS).tobytes()


def _opened(home: Path, taxonomy: Taxonomy | None) -> Snapshot:
    index = _read_index(home / _INDEX)
    if index.code != _code():
        raise SnapshotError(wanted="a snapshot of this very program", found="one of another version", source=str(home))
    _tidy(home, {part.token for part in index.parts})
    rows = np.frombuffer(index.rows, _ROWS)
    known = {number: SnapshotRow(total, flags) for number, total, flags in rows.tolist()}
    return Snapshot(known, {part.grant: Matcher.open(home / part.token, taxonomy) for part in index.parts})


def _read_index(path: Path) -> SnapshotIndex:
    data = path.read_bytes()
    body = data[_SEAL_BYTES:]
    if _sealed(body) != data:
        raise SnapshotError("the snapshot is damaged", wanted="another checksum", source=str(path))
    index = msgspec.msgpack.decode(body, type=SnapshotIndex)
    if not all(part.token.isalnum() for part in index.parts):
        raise SnapshotError(wanted="names of folders beside it", found="others", source=str(path))
    return index


def _sealed(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_SEAL_BYTES).digest() + body


def _require_inside(home: Path) -> None:
    """What is removed and replaced here must be ours (row A17)."""
    if home.is_symlink():
        raise SnapshotError(wanted="a folder", found="a link", source=str(home))


def _tidy(home: Path, tokens: set[str]) -> None:
    """Remove what an earlier snapshot, or one that was not finished, has left."""
    for entry in home.iterdir():
        if entry.is_dir() and entry.name not in tokens:
            shutil.rmtree(entry, ignore_errors=True)
    remove_drafts(home)


@cache
def _code() -> str:
    """A digest of the source that compiles subscriptions: another version may compile them differently."""
    root = Path(triplewire.__file__).parent
    digest = hashlib.blake2b(digest_size=_SEAL_BYTES)
    for package in _COMPILING:
        for path in sorted((root / package).rglob("*.py")):
            digest.update(f"{path.relative_to(root)}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
