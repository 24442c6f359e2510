"""What SQLite's errors mean to us: the disk is full, the disk failed, or the data is damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from triplewire.errors import DamagedStore, DiskFull, StoreError, StoreFailed

_PRIMARY = 0xFF


def meaning(error: sqlite3.Error) -> StoreError:
    """Our error for one of SQLite's. Whatever is not known to be harmless counts as a failed disk (row F2)."""
    code = getattr(error, "sqlite_errorcode", None)
    name = getattr(error, "sqlite_errorname", None) or type(error).__name__
    primary = None if code is None else code & _PRIMARY
    if primary == sqlite3.SQLITE_FULL:
        return DiskFull(wanted="to write", found="no space left on the disk", hint="nothing was stored")
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return DamagedStore(wanted="the database as it was written", found=f"it damaged ({name}: {error})")
    return StoreFailed(wanted="to write to the disk and know that it is there", found=f"{name}: {error}")


@contextmanager
def translated() -> Iterator[None]:
    """Raise our errors instead of SQLite's."""
    try:
        yield
    except sqlite3.Error as error:
        raise meaning(error) from error
