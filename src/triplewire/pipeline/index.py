"""An index that tasks can open: a snapshot, the taxonomy it is read by, and a version that says what is in it.

    ROOT/<version>/snapshot/      the matcher's arrays
    ROOT/<version>/taxonomy.nt    if there is a taxonomy
    ROOT/<version>/index.json     what this is

The version is a hash of the subscriptions and the taxonomy, so that equal ones are built once, and a run that records
the version can be repeated.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pyoxigraph
from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import SnapshotError, TriplewireError
from triplewire.matching.matcher import Matcher
from triplewire.pipeline.storage.location import Location

_DESCRIPTION = "index.json"
_SNAPSHOT = "snapshot"
_TAXONOMY = "taxonomy.nt"
_DIGITS = 16
FORMAT = 1


class IndexRef(Struct, frozen=True):
    """An index by its folder: small enough to travel with every task."""

    folder: str
    version: str
    subscriptions: int
    taxonomy_version: str | None = None
    format: int = FORMAT

    @property
    def snapshot(self) -> Path:
        return Path(self.folder) / _SNAPSHOT

    def taxonomy(self) -> Taxonomy | None:
        """Read the taxonomy, if there is one."""
        if self.taxonomy_version is None:
            return None
        return Taxonomy.parse(Path(self.folder) / _TAXONOMY, format="ntriples")


def version_of(subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None) -> str:
    """A hash of what is subscribed, whatever the order, and of the taxonomy."""
    return _version(((s.id, s.language, s.text, s.owner) for s in subscriptions), taxonomy)


def version_of_rows(table: pa.Table, taxonomy: Taxonomy | None) -> str:
    """The same for rows that have these columns."""
    batches = table.select(["id", "language", "text", "owner"]).to_batches()
    columns = ([column.to_pylist() for column in batch.columns] for batch in batches)
    return _version((row for some in columns for row in zip(*some, strict=True)), taxonomy)


def _version(rows: Iterable[tuple[str, str, str, str | None]], taxonomy: Taxonomy | None) -> str:
    # Sorted by their hashes, since a million texts would take a quarter of a gigabyte while they are sorted.
    hashes = sorted(hashlib.sha256(msgspec.json.encode(row)).digest() for row in rows)
    digest = hashlib.sha256(b"".join(hashes))
    if taxonomy is not None:
        digest.update(f"\n{taxonomy.version}".encode())
    return digest.hexdigest()[:_DIGITS]


def build_index(
    subscriptions: Sequence[Subscription], taxonomy: Taxonomy | None, root: str | os.PathLike[str]
) -> IndexRef:
    """Build the index under the folder `root`, or find that it is there already."""
    version, home = version_of(subscriptions, taxonomy), Location.of(root).local
    if (home / version / _DESCRIPTION).is_file():
        return index_at(home / version)
    matcher = Matcher(taxonomy)
    for subscription in subscriptions:
        matcher.add(subscription)
    return save_index(matcher, version, home)


def save_index(matcher: Matcher, version: str, root: Path) -> IndexRef:
    """Write a matcher as an index. The folder appears whole or not at all."""
    draft, folder = new_draft(root), root / version
    try:
        matcher.save(draft / _SNAPSHOT)
        shutil.copymode(draft, draft / _SNAPSHOT)
        taxonomy = matcher.taxonomy
        if taxonomy is not None:
            triples = pyoxigraph.serialize(taxonomy.triples, format=pyoxigraph.RdfFormat.N_TRIPLES)
            (draft / _TAXONOMY).write_bytes(triples or b"")
        ref = IndexRef(str(folder), version, len(matcher), None if taxonomy is None else taxonomy.version)
        (draft / _DESCRIPTION).write_bytes(msgspec.json.encode(ref))
        _put(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return ref


def index_at(folder: str | os.PathLike[str]) -> IndexRef:
    """The index in a folder. A folder that was moved or copied is still the same index."""
    path = Path(folder) / _DESCRIPTION
    try:
        found = msgspec.json.decode(path.read_bytes(), type=IndexRef)
    except (FileNotFoundError, NotADirectoryError):
        raise SnapshotError(
            wanted="the folder of an index", found=f"no {_DESCRIPTION} in it", source=str(folder)
        ) from None
    except PermissionError:
        raise SnapshotError(
            wanted="an index that this user may read", found="one that is closed", source=str(folder)
        ) from None
    except msgspec.DecodeError as error:
        raise SnapshotError(f"the index is damaged: {error}", source=str(path)) from None
    if found.format != FORMAT:
        raise SnapshotError(wanted=f"an index of format {FORMAT}", found=f"format {found.format}", source=str(path))
    return msgspec.structs.replace(found, folder=str(folder))


def indexes_in(root: Path) -> list[IndexRef]:
    """The whole indexes under a root, the newest first. What is none, or is damaged, is passed over."""
    found = []
    for description in root.glob(f"*/{_DESCRIPTION}"):
        try:
            found.append((description.stat().st_mtime_ns, index_at(description.parent)))
        except (SnapshotError, FileNotFoundError):
            continue
    return [index for _, index in sorted(found, key=lambda pair: pair[0], reverse=True)]


def index_of_snapshot(folder: str | os.PathLike[str], taxonomy: Taxonomy | None = None) -> IndexRef:
    """Treat the folder that `Matcher.save` wrote as an index; its taxonomy has to be handed in."""
    path = Path(folder)
    if (path / _DESCRIPTION).is_file():
        return index_at(path)
    matcher = Matcher.open(path, taxonomy)
    version = hashlib.sha256((path / "manifest.json").read_bytes()).hexdigest()[:_DIGITS]
    if taxonomy is not None:
        version = hashlib.sha256(f"{version} {taxonomy.version}".encode()).hexdigest()[:_DIGITS]
    return save_index(matcher, version, path.parent / f".{path.name}-indexes")


def new_draft(root: Path) -> Path:
    """An empty folder for an index to be, open to whom the umask lets in: workers may run as another user."""
    draft = root / f".draft-{uuid.uuid4().hex}"
    draft.mkdir(parents=True)
    return draft


def _put(draft: Path, folder: Path) -> None:
    try:
        draft.rename(folder)
    except OSError as error:
        # Somebody else built the same index at the same time: theirs is as good.
        if not (folder / _DESCRIPTION).is_file():
            raise TriplewireError(f"the index could not be put in place: {error}", source=str(folder)) from error
