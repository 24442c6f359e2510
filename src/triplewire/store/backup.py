"""A copy of a data folder, made while the node runs, and the way back.

Everything that must survive is in one database, so one snapshot of it is consistent by itself: log, registry, outbox,
living graph and identities, all as of the same commit. What else is in a folder is made anew from it. A backup is a
folder of two files: the database, and a manifest that says how large it is, its checksum, and how far it goes.

A backup and a restored folder get their names by one rename, after all of it was checked and is on the disk. Who is
killed before leaves a draft beside, `.NAME.*.part`, and nothing under the name. A node need not wait: a reader's
snapshot holds up nobody, but the write-ahead log stays long until the copy is made.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol

import msgspec
from msgspec import Struct

from triplewire.errors import DamagedStore, FolderInUse, InputError, UnknownSchema
from triplewire.store.database import FILE, LOCK
from triplewire.store.disk import Connection, LocalDisk
from triplewire.store.schema import MIGRATIONS, version_of
from triplewire.store.sqlite_errors import translated
from triplewire.store.tables import living_graph, log
from triplewire.store.wal import check_wal
from triplewire.system.durable_files import replace_file, sync, sync_files
from triplewire.system.folder_lock import lock_folder

MANIFEST = "backup.json"
SPACE = "space"
_FORMAT = 1
_PAGES = 1_000
_RECORDS = 1_000
_CHUNK = 1 << 20
_SECRET = 0o600

# What is being done, how much of it is done, and how much there is.
Report = Callable[[str, int, int], None]


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """What is in a backup: as of which commit, and how its database can be recognised.

    `position` is the head of the log, `change` that of the living graph's journal, `schema` the version of the tables.
    """

    format: int
    made: datetime
    schema: int
    position: int
    change: int
    bytes: int
    sha256: str


class _Position(Protocol):
    @property
    def position(self) -> int: ...


class _Checksummed(Protocol):
    """A table whose records are checked when they are read: the log, and the journal of the living graph."""

    def floor(self, connection: Connection) -> int: ...

    def head(self, connection: Connection) -> int: ...

    def after(self, connection: Connection, position: int, limit: int) -> Sequence[_Position]: ...


def back_up(folder: Path, target: Path, now: datetime, report: Report) -> Manifest:
    """Copy the data folder of a node, which may run, to a new folder. The copy is checked, record by record."""
    _require_data(folder)
    if target.exists():
        raise InputError(wanted=f"a name for the backup that is not taken: {target}", found="something of that name")
    with _draft_of(target) as draft:
        copy = draft / FILE
        with _source(folder) as source, closing(sqlite3.connect(copy)) as destination, translated():
            source.backup(destination, pages=_PAGES, progress=partial(_copied, report))
        copy.chmod(_SECRET)
        position, change, schema = _checked(copy, report)
        digest = _digest(copy, report)
        manifest = Manifest(_FORMAT, now, schema, position, change, copy.stat().st_size, digest)
        replace_file(draft / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)) + b"\n", _SECRET)
        sync_files(draft, (FILE,))
    return manifest


def restore(backup: Path, folder: Path, report: Report) -> Manifest:
    """Make a data folder from a backup. Raises before the folder is there if anything is not as it was written."""
    manifest = _manifest(backup)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(wanted=f"a folder that is empty, or not there: {folder}", found="one with something in it")
    with _draft_of(folder) as draft:
        copy = draft / FILE
        _copy(backup / FILE, copy, manifest, report)
        _checked(copy, report)
        sync_files(draft, (FILE,))
    return manifest


@contextmanager
def _draft_of(place: Path) -> Iterator[Path]:
    """A folder that gets its name after the block, by one rename; if the block fails nothing is left of it."""
    parent = place.absolute().parent
    draft = Path(tempfile.mkdtemp(prefix=f".{place.name}.", suffix=".part", dir=parent))
    try:
        yield draft
        # A folder with something in it is not replaced; an empty one is.
        draft.rename(place)
    except BaseException:
        shutil.rmtree(draft)
        raise
    sync(parent)


def _require_data(folder: Path) -> None:
    if not (folder / FILE).is_file():
        raise InputError(wanted=f"the data folder of a node, with {FILE} in it", found=f"none in {folder}")
    if (folder / SPACE).exists():
        raise InputError(
            wanted="a node that keeps its own data",
            found=f"a node of an event space in {folder}",
            hint="a space has a replica of everything; what one node had is old as soon as others have gone on",
        )


@contextmanager
def _source(folder: Path) -> Iterator[sqlite3.Connection]:
    """The database as of its last commit, until the block ends: of a node that runs, or of one that cannot start."""
    with ExitStack() as stack:
        in_use = FolderInUse(wanted=f"the data folder {folder}", found="it in use")
        try:
            stack.enter_context(lock_folder(folder / LOCK, in_use, _SECRET))
        except FolderInUse:
            # The node that runs has looked at the write-ahead log when it started.
            pass
        else:
            check_wal(folder / f"{FILE}-wal")
        uri = f"{(folder / FILE).absolute().as_uri()}?mode=ro"
        with translated():
            source = stack.enter_context(closing(sqlite3.connect(uri, uri=True, isolation_level=None)))
            # A snapshot: without it, each commit of the node would make the copy begin again.
            source.execute("BEGIN")
            source.execute("SELECT count(*) FROM facts").fetchall()
        yield source


def _checked(file: Path, report: Report) -> tuple[int, int, int]:
    """Read everything that has a checksum; the heads of log and journal, and the version of the tables."""
    with translated(), closing(LocalDisk().connect(file)) as connection:
        report("checking the database", 0, 1)
        [found] = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise DamagedStore(wanted="the database as it was written", found=f"it damaged ({found})")
        schema = version_of(connection)
        if schema > len(MIGRATIONS):
            raise UnknownSchema(wanted=f"data of version {len(MIGRATIONS)} or earlier", found=f"version {schema}")
        position = _read_all(connection, log, "checking the log", report)
        change = _read_all(connection, living_graph, "checking the journal of the living graph", report)
        return position, change, schema


def _read_all(connection: Connection, records: _Checksummed, doing: str, report: Report) -> int:
    position, head = records.floor(connection), records.head(connection)
    report(doing, position, head)
    while found := records.after(connection, position, _RECORDS):
        position = found[-1].position
        report(doing, position, head)
    if position != head:
        raise DamagedStore(wanted=f"records up to {head}", found=f"the last at {position}", position=position)
    return head


def _copied(report: Report, _: int, remaining: int, total: int) -> None:
    report("copying the database", total - remaining, total)


def _manifest(backup: Path) -> Manifest:
    file = backup / MANIFEST
    if not file.is_file():
        raise InputError(wanted=f"a backup, with {MANIFEST} in it", found=f"none in {backup}")
    try:
        manifest = msgspec.json.decode(file.read_bytes(), type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(wanted="the manifest of a backup", found=str(error), source=str(file)) from None
    if manifest.format != _FORMAT:
        raise InputError(wanted=f"a backup of format {_FORMAT}", found=f"format {manifest.format}", source=str(file))
    return manifest


def _copy(file: Path, copy: Path, manifest: Manifest, report: Report) -> None:
    digest = hashlib.sha256()
    copy.touch(_SECRET)
    with file.open("rb") as source, copy.open("wb") as destination:
        for chunk in _chunks(source, "copying the database", manifest.bytes, report):
            digest.update(chunk)
            destination.write(chunk)
    if digest.hexdigest() != manifest.sha256:
        raise DamagedStore(
            wanted=f"{file} with the checksum of its {MANIFEST}", found="another: it was changed, cut or damaged"
        )


def _digest(file: Path, report: Report) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        for chunk in _chunks(stream, "making the checksum", file.stat().st_size, report):
            digest.update(chunk)
    return digest.hexdigest()


def _chunks(stream: BinaryIO, doing: str, total: int, report: Report) -> Iterator[bytes]:
    report(doing, 0, total)
    done = 0
    while chunk := stream.read(_CHUNK):
        yield chunk
        done += len(chunk)
        report(doing, done, total)
