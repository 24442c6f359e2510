"""Folders as input: which files in them count."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def visible_files(folder: Path) -> Iterator[Path]:
    """Files at any depth, by path. Names with a dot or an underscore in front are somebody's work in progress."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith((".", "_")) for part in parts):
            yield path
