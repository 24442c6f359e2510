"""Locks that keep a folder to one process at a time. They go with the process, however it ends, and leave the file.

`flock` and no library: a lock is two calls of the system, and `filelock` would be a package more for everybody.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self

# What the umask lets through.
_ANY_MODE = 0o666


class FolderLock:
    """A lock that is held, until `release` or the end of `with`."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def release(self) -> None:
        """Let others in. Doing it again does no harm."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def lock_folder(file: Path, in_use: Exception, mode: int = _ANY_MODE) -> FolderLock:
    """Take the lock of a folder, a file in it, or raise `in_use` if another holds it."""
    try:
        return _locked(file, mode, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise in_use from None


def wait_for_folder(file: Path, mode: int = _ANY_MODE) -> FolderLock:
    """Take the lock of a folder as soon as nobody else holds it."""
    return _locked(file, mode, fcntl.LOCK_EX)


def _locked(file: Path, mode: int, operation: int) -> FolderLock:
    # A child process must not go on holding it.
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, mode)
    try:
        fcntl.flock(descriptor, operation)
    except BaseException:
        os.close(descriptor)
        raise
    return FolderLock(descriptor)
