"""Paths as people write them: files that driver and workers see under the same name. Other storage is refused."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote

from triplewire.errors import InputError

_URI = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<host>[^/]*)(?P<path>.*)", re.DOTALL)
_HERE = ("", "localhost")


def local_path(text: str | os.PathLike[str]) -> Path:
    """The path that is meant. Raises `InputError` for a URI of anything but a file of this machine.

    >>> local_path("lake"), local_path("file:///a%20lake")
    (PosixPath('lake'), PosixPath('/a lake'))
    """
    return Path(local_name(text))


def local_name(text: str | os.PathLike[str]) -> str:
    """The same as text, for patterns: they may end in a slash that means something."""
    name = os.fspath(text)
    uri = _URI.match(name)
    if uri is None:
        return name
    if uri["scheme"].lower() == "file" and uri["host"].lower() in _HERE and uri["path"]:
        return unquote(uri["path"])
    # As a path it would name a local folder `s3a:`.
    raise InputError(wanted="a path in a file system that driver and workers share", found=repr(name))


def absolute_path(path: Path) -> Path:
    """The same file for a process in another working folder. Links stay, since they may lead elsewhere there."""
    return path.parent.resolve() / path.name if ".." in path.parts else path.absolute()
