"""Subscriptions from Delta tables: the files that the table's log says there are now."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from triplewire.errors import InputError

# With these, rows that are in the files are not in the table, or go by other names.
_BEYOND_FILES = {"deletionVectors", "columnMapping"}


def with_delta_tables(paths: Iterable[str]) -> list[str]:
    """The paths, each Delta table among them as its files."""
    return [file for path in paths for file in (_files_of(path) if (Path(path) / "_delta_log").is_dir() else [path])]


def _files_of(path: str) -> list[str]:
    try:
        table = DeltaTable(path)
        features = set(table.protocol().reader_features or ()) & _BEYOND_FILES
        files = sorted(table.file_uris())
    except DeltaError as error:
        raise InputError(wanted="a Delta table that can be read", found=str(error), source=path) from None
    if features:
        raise InputError(
            wanted="a Delta table whose rows are those of its files",
            found=f"one with {' and '.join(sorted(features))}",
            source=path,
            hint="REORG TABLE … APPLY (PURGE), or a copy, has none",
        )
    if not files:
        raise InputError(wanted="a row at least", found="a Delta table without any", source=path)
    # The package gives local paths in the spelling of URIs, with or without their scheme.
    return [unquote(uri.removeprefix("file://")) for uri in files]
