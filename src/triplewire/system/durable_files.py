"""Files that survive a crash: after a kill or a power cut each is as it was or as it should be, never half of it.

A file is written under another name, forced to the disk, and given its own name by one rename; then the folder, which
has the name, is forced too. A process that is killed in between leaves a draft beside the file, `.NAME.*.part`.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

# What the umask lets through.
_ANY_MODE = 0o666
# Waiting for a disk takes no core, and a disk that has many files to write makes them safe together.
_AT_ONCE = 16


def replace_file(file: Path, data: bytes, mode: int = _ANY_MODE) -> None:
    """Put a file in place, new or instead of the one that is there."""
    with replacing_file(file, mode) as draft:
        draft.write(data)


@contextmanager
def replacing_file(file: Path, mode: int = _ANY_MODE) -> Iterator[BinaryIO]:
    """A stream whose content is the file's after the block. If the block fails, the file is as it was."""
    with _renamed_to(file, mode) as draft:
        yield draft
    sync(file.parent)


def replace_files(folder: Path, files: Sequence[tuple[str, bytes]], mode: int = _ANY_MODE) -> None:
    """Put many files of one folder in place. Each is whole, and all are on the disk when this returns."""
    with ThreadPoolExecutor(max(1, min(_AT_ONCE, len(files)))) as pool:
        list(pool.map(lambda one: _rename_to(folder / one[0], one[1], mode), files))
    sync(folder)


def create_file(file: Path, data: bytes, mode: int = _ANY_MODE) -> None:
    """Write a file that must not be there yet, or raise `FileExistsError`."""
    with _created(file, mode) as stream:
        stream.write(data)
    sync(file.parent)


@contextmanager
def synced_file(file: Path) -> Iterator[BinaryIO]:
    """A stream into a file of a draft folder: on the disk after the block, but with no care for what was there."""
    with file.open("wb") as stream:
        yield stream
        _sync_stream(stream)


def replace_folder(draft: Path, folder: Path) -> None:
    """Put a folder, whose files are on the disk, in the place of another. Who has the old one's files open keeps them.

    A crash between the two renames leaves the old folder as `NAME-old`, NAME being the draft's.
    """
    old = draft.with_name(f"{draft.name}-old")
    if folder.exists():
        folder.rename(old)
    try:
        draft.rename(folder)
    except OSError:
        if old.exists():
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
    sync(folder.parent)


def remove_drafts(folder: Path) -> None:
    """Remove what writers that were killed have left in a folder. Only for who has the folder alone."""
    for draft in folder.glob(".*.part"):
        draft.unlink(missing_ok=True)


def sync_files(folder: Path, names: Iterable[str]) -> None:
    """Force files under a folder to the disk, whoever has written them, and every folder on the way to them."""
    files = [folder / name for name in names]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(sync, files))
    for place in sorted({file.parent for file in files}):
        sync(place)
    sync(folder)
    sync(folder.parent)


def sync(path: Path) -> None:
    """Force one file to the disk, or the names in one folder."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _rename_to(file: Path, data: bytes, mode: int) -> None:
    with _renamed_to(file, mode) as draft:
        draft.write(data)


@contextmanager
def _renamed_to(file: Path, mode: int) -> Iterator[BinaryIO]:
    draft = file.with_name(f".{file.name[:100]}.{secrets.token_hex(4)}.part")
    with _created(draft, mode) as stream:
        yield stream
    try:
        draft.replace(file)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


@contextmanager
def _created(file: Path, mode: int) -> Iterator[BinaryIO]:
    """A new file, which is removed again if the block fails."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            _sync_stream(stream)
    except BaseException:
        file.unlink(missing_ok=True)
        raise


def _sync_stream(stream: BinaryIO) -> None:
    stream.flush()
    os.fsync(stream.fileno())
