"""What is done with files, wherever they are: list, match globs, read ranges, write, delete.

A file that is written appears whole or not at all: storages put objects so, and a local file is written under another
name first.
"""

from __future__ import annotations

import fnmatch
import glob
import re
import shutil
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import IO, Any

import pyarrow as pa
from msgspec import Struct
from pyarrow import fs

from triplewire.pipeline.storage.file_systems import explained, file_system, path_in_system, storage_error
from triplewire.pipeline.storage.location import Location
from triplewire.system.durable_files import replace_file

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_READ_AHEAD = 8 * 1024 * 1024


class StoredFile(Struct, frozen=True):
    """A file that was found, with its size and the time at which it was last changed."""

    location: Location
    size: int
    modified: datetime


def find_file(location: Location) -> StoredFile | None:
    """The file at a location, or None if there is none."""
    if location.is_local:
        return _file_here(location)
    info = _info(location)
    return _stored(location, info) if info.type == fs.FileType.File else None


def folder_exists(location: Location) -> bool:
    """Whether there is a folder, or anything under the name in a storage that has no folders."""
    if location.is_local:
        return location.local.is_dir()
    return bool(_info(location).type == fs.FileType.Directory)


def list_files(folder: Location, *, recursive: bool = False) -> list[StoredFile]:
    """The files of a folder, by name; none if there is no folder."""
    if folder.is_local:
        found = folder.local.rglob("*") if recursive else folder.local.glob("*")
        return [file for path in sorted(found) if (file := _file_here(folder.at(str(path)))) is not None]
    infos = [info for info in _selected(folder, recursive=recursive) if info.type == fs.FileType.File]
    return sorted((_stored(_located(folder, info), info) for info in infos), key=lambda file: file.location.path)


def list_folders(folder: Location) -> list[Location]:
    """The folders in a folder, by name."""
    infos = [info for info in _selected(folder, recursive=False) if info.type == fs.FileType.Directory]
    return sorted((_located(folder, info) for info in infos), key=lambda location: location.path)


def glob_files(pattern: Location) -> list[Location]:
    """What a glob names; `**` stands for folders at any depth. Elsewhere than here that is files only."""
    if pattern.is_local:
        names = glob.iglob(pattern.path, recursive=True)  # noqa: PTH207  the pattern may be absolute
        return [Location.of(name) for name in names]
    steps = PurePosixPath(pattern.path).parts
    plain = next((number for number, step in enumerate(steps) if glob.has_magic(step)), len(steps))
    root = Location(pattern.scheme, pattern.host, "/".join(steps[:plain]), pattern.options)
    matches = re.compile(_regex("/".join(steps))).fullmatch
    return [file.location for file in list_files(root, recursive=True) if matches(file.location.path)]


def read_bytes(location: Location) -> bytes:
    """The content of a file. Raises `FileNotFoundError` if there is none."""
    with explained(location, "read a file"), file_system(location).open_input_file(path_in_system(location)) as file:
        return bytes(file.read())


def open_range(location: Location) -> IO[bytes]:
    """A file to seek and read in. Where reading means a request, some megabytes are read ahead."""
    if location.is_local:
        return location.local.open("rb")
    with explained(location, "read a file"):
        return _RemoteFile(location, file_system(location).open_input_file(path_in_system(location)))  # type: ignore[return-value]


def open_stream(location: Location, compression: str | None) -> pa.NativeFile:
    """A file to read from its beginning, decompressed."""
    if location.is_local:
        return pa.input_stream(location.path, compression=compression)
    return pa.input_stream(pa.PythonFile(open_range(location), mode="r"), compression=compression)


def open_output(location: Location) -> pa.NativeFile:
    """A stream into a new file. Where there are folders, the file's own is made."""
    if location.is_local:
        location.local.parent.mkdir(parents=True, exist_ok=True)
    with explained(location, "write a file"):
        # Else it would compress what has a name that ends in .gz.
        return file_system(location).open_output_stream(path_in_system(location), compression=None)


def replace_bytes(location: Location, data: bytes) -> None:
    """Put a file in place, new or instead of the one that is there, whole and for good."""
    if location.is_local:
        location.local.parent.mkdir(parents=True, exist_ok=True)
        replace_file(location.local, data)
        return
    with explained(location, "write a file"), open_output(location) as file:
        file.write(data)


def replace_small(location: Location, data: bytes) -> None:
    """The same for a few bytes that need not survive a crash."""
    if not location.is_local:
        replace_bytes(location, data)
        return
    path = location.local
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.part")
    draft.write_bytes(data)
    draft.replace(path)


def delete_file(location: Location) -> None:
    """Delete a file, if it is there."""
    if location.is_local:
        location.local.unlink(missing_ok=True)
        return
    try:
        with explained(location, "delete a file"):
            file_system(location).delete_file(path_in_system(location))
    except FileNotFoundError:
        return


def delete_folder(location: Location) -> None:
    """Delete a folder with all that is in it, if it is there."""
    if location.is_local:
        shutil.rmtree(location.local, ignore_errors=True)
        return
    for file in list_files(location, recursive=True):
        delete_file(file.location)


class _RemoteFile:
    """A file of a storage, read some megabytes at a time; what goes wrong is a `StorageError`."""

    def __init__(self, location: Location, file: pa.NativeFile) -> None:
        self._location = location
        self._file = file
        self._at = 0
        self._ahead, self._start = b"", 0
        self.closed = False

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            size = max(self._file.size() - self._at, 0)
        pieces = []
        while size > 0 and (piece := self._some(size)):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _some(self, size: int) -> bytes:
        offset = self._at - self._start
        if not 0 <= offset < len(self._ahead):
            self._start, offset = self._at, 0
            with explained(self._location, "read a file"):
                self._ahead = bytes(self._file.read_at(max(size, _READ_AHEAD), self._at))
        piece = self._ahead[offset : offset + size]
        self._at += len(piece)
        return piece

    def seek(self, place: int, whence: int = 0, /) -> int:
        self._at = place + (0, self._at, self._file.size())[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True
        self._file.close()

    def __enter__(self) -> _RemoteFile:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _info(location: Location) -> Any:
    with explained(location, "look at a file"):
        [info] = file_system(location).get_file_info([path_in_system(location)])
    return info


def _selected(folder: Location, *, recursive: bool) -> Iterator[Any]:
    selector = fs.FileSelector(path_in_system(folder), allow_not_found=True, recursive=recursive)
    with explained(folder, "list a folder"):
        yield from file_system(folder).get_file_info(selector)


def _located(folder: Location, info: Any) -> Location:
    name = PurePosixPath(info.path).relative_to(path_in_system(folder)).as_posix()
    return folder / name


def _file_here(location: Location) -> StoredFile | None:
    """A file of this machine; None for a folder, and for what goes while it is looked at."""
    try:
        status = location.local.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return StoredFile(location, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))


def _stored(location: Location, info: Any) -> StoredFile:
    modified = info.mtime
    return StoredFile(location, info.size or 0, _EPOCH if modified is None else modified.astimezone(UTC))


def _regex(pattern: str) -> str:
    """
    >>> bool(re.fullmatch(_regex("a/**/*.nq"), "a/b/c/x.nq")), bool(re.fullmatch(_regex("a/*.nq"), "a/b/x.nq"))
    (True, False)
    """
    steps = []
    for step in pattern.split("/"):
        if step == "**":
            steps.append("(?:[^/]+/)*")
        else:
            one = fnmatch.translate(step).removeprefix("(?s:").removesuffix(")\\Z").removesuffix(")\\z")
            steps.append(one.replace(".*", "[^/]*") + "/")
    return "".join(steps).removesuffix("/")


__all__ = [
    "StoredFile",
    "delete_file",
    "delete_folder",
    "find_file",
    "folder_exists",
    "glob_files",
    "list_files",
    "list_folders",
    "open_output",
    "open_range",
    "open_stream",
    "read_bytes",
    "replace_bytes",
    "replace_small",
    "storage_error",
]
