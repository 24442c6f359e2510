"""Files that are either as they were or as they should be, whatever ends the process in between."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write(file: Path, data: bytes, mode: int = 0o644) -> None:
    """Put a file in place, whole and on the disk."""
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
    _sync(file.parent)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
