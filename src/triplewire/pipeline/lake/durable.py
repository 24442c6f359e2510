"""Files that survive a power cut: forced to disk, and the folders that name them as well."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Waiting for a disk takes no core, and a disk does several at once.
_AT_ONCE = 8


def force_to_disk(folder: Path, names: Iterable[str]) -> None:
    """Force files under a folder, whoever has written them, and every folder on the way to them."""
    files = [folder / name for name in names]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(force, files))
    for place in sorted({file.parent for file in files}):
        force(place)
    force(folder)
    force(folder.parent)


def force(path: Path) -> None:
    """Force one file, or the names in one folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
