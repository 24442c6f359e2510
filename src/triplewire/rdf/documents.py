"""Documents: the text of one file or message, with its size checked and its encoding proven.

A document is UTF-8. A byte order mark at its beginning is dropped, as XML and JSON allow and editors love to add.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from triplewire.errors import InputError, SyntaxProblem
from triplewire.rdf.formats import Format, format_named, format_of_suffix
from triplewire.rdf.limits import DEFAULT_LIMITS, Limits, exceeded

_BOM = b"\xef\xbb\xbf"
_NEVER_IN_A_PATH = frozenset('<>{}"\n\r\t\0')


class Document(Struct, frozen=True):
    """Bytes that are known to be UTF-8 and within the limit. `path` is set where they came from a file."""

    data: bytes
    source: str | None = None
    path: Path | None = None

    @property
    def text(self) -> str:
        return self.data.decode()

    @property
    def base(self) -> str | None:
        """What relative IRIs are relative to where nobody says else: the file's own URL."""
        return None if self.path is None else url_of(self.path)


def url_of(place: str | os.PathLike[str]) -> str:
    """The URL of a file; what is one already stays as it is.

    >>> url_of("/data/../my data.ttl"), url_of("s3://bucket/a.ttl")
    ('file:///my%20data.ttl', 's3://bucket/a.ttl')
    """
    text = os.fspath(place)
    return text if "://" in text else Path(os.path.abspath(text)).as_uri()  # noqa: PTH100  resolve() follows links


def read_document(
    data: bytes | str | os.PathLike[str], *, source: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> Document:
    """Take RDF from memory or from a file.

    Bytes are RDF. A path object is a file. A string is RDF text, unless it is one line without any of `< > { } "`, ends
    in the suffix of an RDF format and names an existing file. Whoever passes on text of strangers should pass bytes.
    """
    path = path_in(data)
    if path is not None:
        source = source or str(path)
    content = _read(path, limits, source) if path is not None else _bytes_of(data, source)
    if len(content) > limits.document_bytes:
        raise exceeded("document_bytes", limits.document_bytes, "document too large", len(content)).located_in(
            source or "document"
        )
    content = content.removeprefix(_BOM)
    _check_utf8(content, source)
    return Document(content, source, path)


def format_for(document: Document, name: str, default: str) -> Format:
    """The format to read a document in: a file's suffix decides, unless another than the default is asked for."""
    by_suffix = format_of_suffix(document.path) if document.path and name == default else None
    return by_suffix or format_named(name)


def path_in(data: bytes | str | os.PathLike[str]) -> Path | None:
    """The file that `data` names, or None if it is RDF itself."""
    if isinstance(data, os.PathLike):
        return Path(data)
    if isinstance(data, str) and _looks_like_a_path(data) and Path(data).is_file():
        return Path(data)
    return None


def _looks_like_a_path(text: str) -> bool:
    return len(text) < 4096 and format_of_suffix(text) is not None and _NEVER_IN_A_PATH.isdisjoint(text)


def _read(path: Path, limits: Limits, source: str | None) -> bytes:
    try:
        with path.open("rb") as file:
            # One byte more than allowed tells a file that is too large, without reading all of it.
            return file.read(limits.document_bytes + 1)
    except OSError as error:
        raise InputError(f"cannot read the file: {error.strerror or error}", source=source) from error


def _bytes_of(data: object, source: str | None) -> bytes:
    if isinstance(data, str):
        try:
            return data.encode()
        except UnicodeEncodeError as error:
            code = ord(data[error.start])
            raise _problem_at(data, error.start, "Unicode text", f"the surrogate U+{code:04X}", source) from None
    if isinstance(data, bytes | bytearray | memoryview):
        return bytes(data)
    raise InputError(wanted="RDF as bytes, text or a path", found=type(data).__name__, source=source)


def _check_utf8(data: bytes, source: str | None) -> None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        readable = data.decode(errors="replace")
        offset = len(data[: error.start].decode())
        found = f"the byte 0x{data[error.start]:02X} ({error.reason})"
        raise _problem_at(readable, offset, "UTF-8", found, source) from None


def _problem_at(text: str, offset: int, wanted: str, found: str, source: str | None) -> SyntaxProblem:
    safe = text.encode(errors="replace").decode()
    return SyntaxProblem.at(safe, offset, wanted=wanted, found=found, source=source)


def visible_files(folder: Path) -> Iterator[Path]:
    """Files at any depth, by path. Names with a dot or an underscore in front are somebody's work in progress."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith((".", "_")) for part in parts):
            yield path
