"""Indexes of a lake, wherever the lake is: used where they lie if that is a folder here, else kept there and copied.

ROOT/NAME/…             what a strategy has prepared (see `prepared_folders`)
ROOT/NAME/_complete     all of it is there: only for storages in which files come one by one
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.pipeline.index import new_draft
from triplewire.pipeline.storage.files import find_file, list_files, list_folders, open_range, replace_bytes
from triplewire.pipeline.storage.location import Location
from triplewire.pipeline.strategies.catalog import prepare, strategy_at, versions_of
from triplewire.pipeline.strategies.strategy import Strategy

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_COMPLETE = "_complete"


def prepare_in(
    spark: SparkSession,
    subscriptions: Sequence[Subscription],
    root: Location,
    strategy: str,
    taxonomy: Taxonomy | None = None,
) -> Strategy:
    """Prepare a strategy under a root, unless it is there."""
    here = folder_here(root)
    found = prepare(spark, subscriptions, here, strategy, taxonomy=taxonomy)
    keep_in(root, Path(found.index.folder))
    return found


def find_in(root: Location, version: str) -> Strategy | None:
    """The strategy with the index of a version, if there is one under the root."""
    here = folder_here(root)
    if not root.is_local:
        for folder in list_folders(root):
            if version in versions_of([folder.name]) and find_file(folder / _COMPLETE) is not None:
                _fetch(folder, here)
    return strategy_at(here, version)


def known_versions(root: Location) -> list[str]:
    """Every version under a root."""
    return versions_of(folder.name for folder in list_folders(root))


def folder_here(root: Location) -> Path:
    """The folder in which what is under a root is prepared: the root, or this machine's copies of what it has."""
    if root.is_local:
        return root.absolute().local
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "triplewire" / "indexes" / hashlib.sha256(root.uri.encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def keep_in(root: Location, folder: Path) -> None:
    """Put what was prepared in a folder here under the root, unless it is there."""
    there = root / folder.name
    if root.is_local or find_file(there / _COMPLETE) is not None:
        return
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        replace_bytes(there / path.relative_to(folder).as_posix(), path.read_bytes())
    replace_bytes(there / _COMPLETE, b"")


def _fetch(folder: Location, root: Path) -> None:
    if (root / folder.name).exists():
        return
    draft = new_draft(root)
    try:
        for file in list_files(folder, recursive=True):
            path = draft / file.location.relative_to(folder)
            path.parent.mkdir(parents=True, exist_ok=True)
            with open_range(file.location) as source, path.open("wb") as copy:
                shutil.copyfileobj(source, copy)
        draft.rename(root / folder.name)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


__all__ = ["find_in", "folder_here", "keep_in", "known_versions", "prepare_in"]
