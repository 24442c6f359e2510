"""Which files hold events: paths, folders and globs, in every RDF format, plain or compressed."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from triplewire.errors import InputError
from triplewire.pipeline.sources.options import DEFAULT_READ_OPTIONS, ReadOptions
from triplewire.pipeline.storage.files import StoredFile, find_file, folder_exists, glob_files, list_files
from triplewire.pipeline.storage.location import Location
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
    """Every file that the patterns name, once, by its whole path or URI. A pattern that names nothing is an error."""
    found: dict[str, SourceFile] = {}
    for pattern in patterns:
        location = Location.of(pattern, options.storage)
        # What is needed to reach the files goes with them, to tasks on hosts with another environment.
        reaching = options if location.is_local else msgspec.structs.replace(options, storage=location.options)
        found |= {file.path: msgspec.structs.replace(file, options=reaching) for file in _files_of(location)}
    return [found[path] for path in sorted(found)]


def list_sources(place: Location, options: ReadOptions) -> list[SourceFile]:
    """The files of a folder or a glob that can be read as events; none where there are none yet."""
    reaching = options if place.is_local else msgspec.structs.replace(options, storage=place.options)
    if glob.has_magic(place.path):
        files = [found for one in glob_files(place.absolute()) if (found := find_file(one)) is not None]
        return [_described(file, reaching) for file in files if _is_event_file(file.location.name)]
    folder = place.absolute()
    files = list_files(folder, recursive=True)
    return [_described(file, reaching) for file in files if _is_event_file(file.location.relative_to(folder))]


def source_file(place: Location | Path, options: ReadOptions = DEFAULT_READ_OPTIONS) -> SourceFile:
    """Look at one file; its name tells format and compression."""
    location = Location.of(place, options.storage).absolute()
    found = find_file(location)
    if found is None:
        raise FileNotFoundError(f"wanted a file, found none: {location}")
    return _described(found, options)


def _described(found: StoredFile, options: ReadOptions = DEFAULT_READ_OPTIONS) -> SourceFile:
    bare, compression = split_compression(Path(found.location.path))
    uri = found.location.uri
    return SourceFile(uri, found.size, found.modified, format_of_path(bare).name, compression, options)


def split_compression(path: Path) -> tuple[Path, str | None]:
    """
    >>> split_compression(Path("a.nq.gz"))
    (PosixPath('a.nq'), 'gzip')
    """
    compression = COMPRESSIONS.get(path.suffix.lower())
    return (path.with_suffix(""), compression) if compression else (path, None)


def _files_of(location: Location) -> list[SourceFile]:
    if folder_exists(location):
        return _files_in(location)
    if find_file(location) is not None:
        return [source_file(location)]
    if not glob.has_magic(location.path):
        raise InputError(wanted="a file, a folder or a glob of RDF", found="nothing", source=location.uri)
    files = [
        file
        for found in glob_files(location)
        for file in (_files_in(found) if folder_exists(found) else [source_file(found)])
    ]
    if not files:
        raise InputError(wanted="a glob that names RDF files", found="none", source=location.uri)
    return files


def _files_in(folder: Location) -> list[SourceFile]:
    here = folder.absolute()
    files = [
        _described(found)
        for found in list_files(here, recursive=True)
        if _is_event_file(found.location.relative_to(here))
    ]
    if not files:
        suffixes = ", ".join(suffix for form in FORMATS for suffix in form.suffixes)
        raise InputError(
            wanted=f"RDF files in this folder ({suffixes}, plain or as {', '.join(COMPRESSIONS)})",
            found="none",
            source=folder.uri,
        )
    return files


def _is_event_file(name: str) -> bool:
    """Names with a dot or an underscore in front are somebody's work in progress."""
    return not any(step.startswith((".", "_")) for step in name.split("/")) and _format(Path(name)) is not None


def _format(path: Path) -> Format | None:
    return format_of_suffix(split_compression(path)[0])
