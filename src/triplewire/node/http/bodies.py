"""Request bodies, read under a limit (row A7).

A body that says that it is too large is refused before a byte of it is read; one that does not say is read up to the
limit and no further. A compressed body is expanded as it comes, under the same limit.
"""

from __future__ import annotations

import zlib
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Query, Request

from triplewire.errors import InputError, InvalidTerm, LimitExceeded, UnknownFormat
from triplewire.rdf.parsing.quads import check_base

Base = Annotated[str | None, Query(description="What relative IRIs count from; the URL of the request by default.")]

RDFTL = "text/x-triplewire-rdftl"
_LIMIT = "request_bytes"
# ASCII is UTF-8, too.
_UTF8 = ("utf-8", "utf8", "us-ascii", "ascii")
# zlib's way to say: gzip framing.
_GZIP = 16 + zlib.MAX_WBITS


async def read_body(request: Request, most: int) -> bytes:
    """The whole body, or `LimitExceeded`."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise too_large(most, f"{int(declared):,}")
    expand = _expander(request.headers.get("content-encoding", ""), most)
    parts: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        part = expand.add(chunk)
        size += len(part)
        if size > most:
            raise too_large(most, "more")
        parts.append(part)
    expand.finish()
    return b"".join(parts)


async def read_text(request: Request, most: int) -> str:
    """The whole body as text."""
    try:
        return (await read_body(request, most)).decode()
    except UnicodeDecodeError as error:
        raise InputError(wanted="UTF-8", found=f"the byte 0x{error.object[error.start]:02X}") from None


async def read_form(request: Request, most: int) -> dict[str, list[str]]:
    """The fields of a form."""
    data = await read_body(request, most)
    try:
        return parse_qs(data.decode("ascii"), keep_blank_values=True, max_num_fields=100, errors="strict")
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(wanted="form fields", found=str(error)) from None


def media_type_of(request: Request) -> str:
    """What the body is, in lower case and without parameters. Any charset but UTF-8 is refused."""
    header = request.headers.get("content-type", "")
    kind, *parameters = [part.strip().lower() for part in header.split(";")]
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "charset" and value.strip().strip('"') not in _UTF8:
            raise UnknownFormat(wanted="a body in UTF-8", found=repr(header))
    return kind


def require_rdftl(request: Request) -> None:
    """Raise `UnknownFormat` unless the body is RDFTL."""
    media_type = media_type_of(request)
    if media_type != RDFTL:
        raise UnknownFormat(wanted=f"RDFTL as {RDFTL}", found=repr(media_type))


def base_of(request: Request, given: str | None) -> str | None:
    """What relative IRIs of the body count from: what is given, else the request's URL, its query left out."""
    if given is not None:
        return given
    url = str(request.url.replace(query="", fragment=""))
    try:
        check_base(url)
    except InvalidTerm:
        # Whoever says nonsense in the Host header has no base, and may not need one.
        return None
    return url


def too_large(most: int, found: str) -> LimitExceeded:
    """The error of a body that is too large."""
    return LimitExceeded(_LIMIT, most, wanted=f"a body of at most {most:,} bytes", found=str(found))


class Plain:
    """A body as it is."""

    def add(self, chunk: bytes) -> bytes:
        return chunk

    def finish(self) -> None:
        pass


class Gzip:
    """A compressed body. Expands at most one byte more than allowed, however little was sent."""

    def __init__(self, most: int) -> None:
        self._left = most + 1
        self._machine = zlib.decompressobj(_GZIP)

    def add(self, chunk: bytes) -> bytes:
        if not chunk:
            return b""
        if self._left <= 0:
            return b"!"
        try:
            part = self._machine.decompress(chunk, self._left)
        except zlib.error as error:
            raise InputError(wanted="a gzip body", found=str(error)) from None
        self._left -= len(part)
        return part

    def finish(self) -> None:
        if not self._machine.eof:
            raise InputError(wanted="a whole gzip body", found="its beginning only")
        if self._machine.unused_data:
            raise InputError(wanted="one gzip member", found="something behind it")


def _expander(encoding: str, most: int) -> Plain | Gzip:
    if encoding.lower() in ("", "identity"):
        return Plain()
    if encoding.lower() in ("gzip", "x-gzip"):
        return Gzip(most)
    raise UnknownFormat(wanted="a body as it is, or with the encoding gzip", found=repr(encoding))
