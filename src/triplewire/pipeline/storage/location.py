"""`Location`: where a file or a folder is, and what is needed to reach it.

    file:///a, a, /a        this machine's disks, or what is mounted there
    s3://BUCKET/KEY         S3 and what speaks like it; s3a:// is the same
    abfss://FILES@ACCOUNT.dfs.core.windows.net/PATH
    gs://BUCKET/KEY
    hdfs://HOST:PORT/PATH

A location is opened where it is needed: a task gets the location, and opens it itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from msgspec import Struct

from triplewire.errors import InputError
from triplewire.pipeline.storage.options import check_options, environment_options

FILE, S3, AZURE, GOOGLE, HDFS = "file", "s3", "abfss", "gs", "hdfs"
_SCHEMES = {
    "file": FILE,
    "s3": S3,
    "s3a": S3,
    "abfss": AZURE,
    "abfs": AZURE,
    "gs": GOOGLE,
    "hdfs": HDFS,
}
_URI = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<host>[^/]*)(?P<path>.*)", re.DOTALL)
_HERE = ("", "localhost")


class Location(Struct, frozen=True):
    """A place in a storage. `host` is a bucket, or what stands for it; `path` is what is under it.

    Local ones have no host, and a path as it was given: relative ones are those of this process (see `absolute`).
    """

    scheme: str
    host: str
    path: str
    options: dict[str, str] = {}

    @classmethod
    def of(cls, text: str | os.PathLike[str] | Location, options: Mapping[str, str] | None = None) -> Location:
        """The location that a path or a URI means. Raises `InputError` for a storage that nobody here reads.

        Options that are not given come from the environment of this process, so that tasks get them too.

        >>> Location.of("s3a://feeds/2024/*.nq").uri, Location.of("file:///a%20lake").uri
        ('s3://feeds/2024/*.nq', '/a lake')
        """
        if isinstance(text, Location):
            return text
        name = os.fspath(text)
        uri = _URI.match(name)
        if uri is None:
            return cls(FILE, "", name)
        scheme = _SCHEMES.get(uri["scheme"].lower())
        if scheme is None:
            known = ", ".join(f"{scheme}://" for scheme in _SCHEMES)
            raise InputError(wanted=f"a path, or a URI of {known}", found=repr(name))
        if scheme == FILE:
            if uri["host"].lower() not in _HERE or not uri["path"]:
                raise InputError(wanted="a file URI with a path on this host", found=repr(name))
            return cls(FILE, "", unquote(uri["path"]))
        if not uri["host"]:
            raise InputError(wanted=f"{scheme}://{_WANTED_HOST[scheme]}/PATH", found=repr(name))
        return cls(scheme, uri["host"], uri["path"].strip("/"), _options(scheme, options))

    @property
    def is_local(self) -> bool:
        """Whether it is a file of this machine, or of a file system that is mounted here."""
        return self.scheme == FILE

    @property
    def uri(self) -> str:
        """The location as text, without its options: a path where it is local."""
        return self.path if self.is_local else f"{self.scheme}://{self.host}/{self.path}".rstrip("/")

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def parent(self) -> Location:
        path = str(PurePosixPath(self.path).parent)
        return self.at(path if self.is_local or path != "." else "")

    @property
    def local(self) -> Path:
        """The path of a local file. Raises `InputError` for any other."""
        if not self.is_local:
            raise InputError(wanted="a path on this machine", found=repr(self.uri))
        return Path(self.path)

    def absolute(self) -> Location:
        """The same place for a process in another working folder. Links stay, since they may lead elsewhere there."""
        if not self.is_local:
            return self
        path = Path(self.path)
        return self.at(str(path.parent.resolve() / path.name if ".." in path.parts else path.absolute()))

    def __truediv__(self, name: str) -> Location:
        """What is under this location.

        >>> (Location.of("s3://b/lake") / "events").uri, (Location.of("gs://b") / "x").uri
        ('s3://b/lake/events', 'gs://b/x')
        """
        return self.at(str(PurePosixPath(self.path) / name))

    def relative_to(self, root: Location) -> str:
        """How this location is named under another one."""
        return PurePosixPath(self.path).relative_to(root.path).as_posix()

    def at(self, path: str) -> Location:
        """Another path in the same storage."""
        return Location(self.scheme, self.host, path, self.options)

    def __str__(self) -> str:
        return self.uri

    def __repr__(self) -> str:
        # Options hold secrets, which have no place in logs.
        return f"Location({self.uri!r})"


_WANTED_HOST = {S3: "BUCKET", GOOGLE: "BUCKET", AZURE: "FILES@ACCOUNT.dfs.core.windows.net", HDFS: "HOST:PORT"}


def _options(scheme: str, given: Mapping[str, str] | None) -> dict[str, str]:
    found = environment_options(scheme) | dict(given or {})
    check_options(scheme, found)
    return found
