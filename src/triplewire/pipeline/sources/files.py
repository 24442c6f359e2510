"""Which files hold events: paths, folders and globs, in every RDF format, plain or compressed."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from triplewire.errors import InputError
from triplewire.pipeline.paths import absolute_path, local_name
from triplewire.pipeline.sources.options import DEFAULT_READ_OPTIONS, ReadOptions
from triplewire.rdf.documents import visible_files
from triplewire.rdf.formats import FORMATS, NQUADS, Format, format_of_path, format_of_suffix

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}


class SourceFile(Struct, frozen=True):
    """A file of events. `modified` stands for the time of events that carry none."""

    path: str
    size: int
    modified: datetime
    format: str
    compression: str | None = None
    options: ReadOptions = DEFAULT_READ_OPTIONS

    @property
    def splittable(self) -> bool:
        """Whether a task can begin in the middle of it."""
        return self.format == NQUADS.name and self.compression is None


def find_files(patterns: Iterable[str], options: ReadOptions = DEFAULT_READ_OPTIONS) -> list[SourceFile]:
    """Every file that the patterns name, once, by its whole path. A pattern that names nothing is an error."""
    found = {file.path: file for pattern in patterns for file in _files_of(local_name(pattern))}
    return [msgspec.structs.replace(found[path], options=options) for path in sorted(found)]


def source_file(path: Path, options: ReadOptions = DEFAULT_READ_OPTIONS) -> SourceFile:
    """Look at one file; its name tells format and compression."""
    path = absolute_path(path)
    bare, compression = split_compression(path)
    status = path.stat()
    modified = datetime.fromtimestamp(status.st_mtime, UTC)
    return SourceFile(str(path), status.st_size, modified, format_of_path(bare).name, compression, options)


def split_compression(path: Path) -> tuple[Path, str | None]:
    """
    >>> split_compression(Path("a.nq.gz"))
    (PosixPath('a.nq'), 'gzip')
    """
    compression = COMPRESSIONS.get(path.suffix.lower())
    return (path.with_suffix(""), compression) if compression else (path, None)


def _files_of(pattern: str) -> list[SourceFile]:
    path = Path(pattern)
    if path.is_dir():
        return _files_in(path)
    if path.exists():
        return [source_file(path)]
    if not glob.has_magic(pattern):
        raise InputError(wanted="a file, a folder or a glob of RDF", found="nothing", source=pattern)
    matching = [Path(name) for name in glob.iglob(pattern, recursive=True)]  # noqa: PTH207  the pattern may be absolute
    files = [file for name in matching for file in (_files_in(name) if name.is_dir() else [source_file(name)])]
    if not files:
        raise InputError(wanted="a glob that names RDF files", found="none", source=pattern)
    return files


def _files_in(folder: Path) -> list[SourceFile]:
    files = [source_file(path) for path in visible_files(folder) if _format(path)]
    if not files:
        suffixes = ", ".join(suffix for form in FORMATS for suffix in form.suffixes)
        raise InputError(
            wanted=f"RDF files in this folder ({suffixes}, plain or as {', '.join(COMPRESSIONS)})",
            found="none",
            source=str(folder),
        )
    return files


def _format(path: Path) -> Format | None:
    return format_of_suffix(split_compression(path)[0])
