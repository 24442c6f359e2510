"""Files that are either as they were or as they should be, whatever ends the process in between."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# A disk that is told of many files at the same time makes them safe together.
_AT_ONCE = 16


def write(file: Path, data: bytes, mode: int = 0o644) -> None:
    """Put a file in place, whole and on the disk."""
    _put(file, data, mode)
    _sync(file.parent)


def write_all(folder: Path, files: Sequence[tuple[str, bytes]]) -> None:
    """Put many files of one folder in place; each is whole, and all are on the disk when this returns."""
    if len(files) == 1:
        _put(folder / files[0][0], files[0][1], 0o644)
    else:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(lambda one: _put(folder / one[0], one[1], 0o644), files))
    _sync(folder)


def _put(file: Path, data: bytes, mode: int) -> None:
    part = file.with_name(f".{file.name[:100]}.{secrets.token_hex(4)}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
