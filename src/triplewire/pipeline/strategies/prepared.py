"""The index as a strategy wants it, in a folder of its own under a common root.

    ROOT/<version>/                   replicate: the index as it is (see `pipeline.index`)
    ROOT/<version>-osma-<parts>/      an index for each part, and routes.npz, which leads events to them
    ROOT/<version>-csma/              chains.parquet and subscriptions.parquet, and an index of those that are open

The version is that of the whole: equal subscriptions under an equal taxonomy are prepared once. A folder appears
whole or not at all.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from secrets import randbits
from typing import TypeVar

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import SnapshotError
from triplewire.matching import Matcher
from triplewire.matching.anchors import anchors_of
from triplewire.pipeline.index import IndexRef, index_at, new_draft, save_index, version_of
from triplewire.pipeline.strategies.chains import chains_of
from triplewire.pipeline.strategies.keys import key_of, mask_of
from triplewire.pipeline.strategies.partitions import Options, Partitioning, partitioned
from triplewire.pipeline.strategies.routes import Routes, routes_of

FORMAT = 1
DEFAULT_PARTS = 8
_DESCRIPTION = "prepared.json"
_ROUTES = "routes.npz"
_AT_A_TIME = 20_000

_CHAIN_SCHEMA = pa.schema(
    [
        ("subscription", pa.string()),
        ("masks", pa.list_(pa.int32())),
        ("constants", pa.list_(pa.int64())),
        ("slots", pa.list_(pa.int32())),
        ("wanted", pa.list_(pa.bool_())),
    ]
)
_TEXT_SCHEMA = pa.schema([(name, pa.string()) for name in ("subscription", "language", "text", "owner")])


class Parts(Struct, frozen=True):
    """What osma needs. `seed` is the one that keys are made with."""

    folder: str
    version: str
    seed: int
    subscriptions: int
    parts: int
    masks: tuple[int, ...]
    open_parts: tuple[int, ...]
    format: int = FORMAT

    @property
    def indexes(self) -> list[IndexRef]:
        """The index of each part."""
        names = _part_names(self.version, self.seed, self.parts)
        return [index_at(Path(self.folder) / name) for name in names]

    def routes(self) -> Routes:
        """What leads events to parts."""
        with np.load(Path(self.folder) / _ROUTES, allow_pickle=False) as stored:
            keys, parts = stored["keys"], stored["parts"]
        return routes_of(Partitioning(np.zeros(0, np.int32), keys, parts, self.masks, self.open_parts), self.parts)


class Chains(Struct, frozen=True):
    """What csma needs. `seed` is the one that fingerprints are made with."""

    folder: str
    version: str
    seed: int
    subscriptions: int
    format: int = FORMAT

    @property
    def chains(self) -> str:
        return str(Path(self.folder) / "chains.parquet")

    @property
    def texts(self) -> str:
        return str(Path(self.folder) / "subscriptions.parquet")

    @property
    def opened(self) -> IndexRef:
        """The index of the subscriptions that no constant leads to."""
        return index_at(Path(self.folder) / _open_name(self.version, self.seed))


_Kind = TypeVar("_Kind", Parts, Chains)


def prepare_parts(
    subscriptions: Sequence[Subscription], taxonomy: Taxonomy | None, root: Path, parts: int = DEFAULT_PARTS
) -> Parts:
    """File the subscriptions into parts and save an index for each."""
    version = version_of(subscriptions, taxonomy)

    def write(draft: Path, folder: Path) -> Parts:
        seed = randbits(63)
        filing = partitioned([options_of(subscription, seed) for subscription in subscriptions], parts)
        np.savez(draft / _ROUTES, keys=filing.keys, parts=filing.parts)
        for number, name in enumerate(_part_names(version, seed, parts)):
            members = np.flatnonzero(filing.part_of == number).tolist()
            _save((subscriptions[member] for member in members), taxonomy, draft, name)
        return Parts(str(folder), version, seed, len(subscriptions), parts, filing.masks, filing.open_parts)

    return _once(root / f"{version}-osma-{parts}", Parts, write)


def prepare_chains(subscriptions: Sequence[Subscription], taxonomy: Taxonomy | None, root: Path) -> Chains:
    """Write the chains and texts as tables, and an index of what has no chain."""
    version = version_of(subscriptions, taxonomy)

    def write(draft: Path, folder: Path) -> Chains:
        seed = randbits(63)
        opened = _write_tables(subscriptions, seed, draft)
        _save(opened, taxonomy, draft, _open_name(version, seed))
        return Chains(str(folder), version, seed, len(subscriptions))

    return _once(root / f"{version}-csma", Chains, write)


def _once(folder: Path, kind: type[_Kind], write: Callable[[Path, Path], _Kind]) -> _Kind:
    """What is in the folder already, or what `write` makes of it."""
    if (folder / _DESCRIPTION).is_file():
        return stored(folder, kind)
    draft = new_draft(folder.parent)
    try:
        made = write(draft, folder)
        (draft / _DESCRIPTION).write_bytes(msgspec.json.encode(made))
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return made


def stored(folder: Path, kind: type[_Kind]) -> _Kind:
    """What was prepared in a folder."""
    path = folder / _DESCRIPTION
    try:
        found = msgspec.json.decode(path.read_bytes(), type=kind)
    except msgspec.DecodeError as error:
        raise SnapshotError(f"{path}: the prepared index is damaged: {error}") from None
    if found.format != FORMAT:
        raise SnapshotError(f"{path}: wanted a prepared index of format {FORMAT}, found format {found.format}")
    return msgspec.structs.replace(found, folder=str(folder))


def options_of(subscription: Subscription, seed: int) -> Options:
    """What each core of a subscription could be filed under."""
    return tuple(
        tuple((key_of(anchor, seed), mask_of(anchor.terms)) for anchor in core) for core in anchors_of(subscription)
    )


def _part_names(version: str, seed: int, parts: int) -> list[str]:
    """Names are versions, and hosts keep what they unpack by version: two filings of one index must not share any."""
    return [f"{version}-{seed:016x}-part-{number:05}" for number in range(parts)]


def _open_name(version: str, seed: int) -> str:
    return f"{version}-{seed:016x}-open"


def _save(subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None, root: Path, name: str) -> None:
    matcher = Matcher(taxonomy)
    for subscription in subscriptions:
        matcher.add(subscription)
    save_index(matcher, name, root)


def _write_tables(subscriptions: Sequence[Subscription], seed: int, folder: Path) -> list[Subscription]:
    """Write both tables; returns the subscriptions that have no chain to go by."""
    opened: list[Subscription] = []
    with (
        pq.ParquetWriter(folder / "chains.parquet", _CHAIN_SCHEMA) as chains,
        pq.ParquetWriter(folder / "subscriptions.parquet", _TEXT_SCHEMA) as texts,
    ):
        for start in range(0, len(subscriptions), _AT_A_TIME):
            some = [(s, list(chains_of(s, seed))) for s in subscriptions[start : start + _AT_A_TIME]]
            led = [(s, found) for s, found in some if all(one.masks for one in found)]
            opened.extend(s for s, found in some if not all(one.masks for one in found))
            rows = [msgspec.structs.asdict(one) for _, found in led for one in found]
            chains.write_batch(pa.RecordBatch.from_pylist(rows, _CHAIN_SCHEMA))
            told = [dict(zip(_TEXT_SCHEMA.names, (s.id, s.language, s.text, s.owner), strict=True)) for s, _ in led]
            texts.write_batch(pa.RecordBatch.from_pylist(told, _TEXT_SCHEMA))
    return opened
