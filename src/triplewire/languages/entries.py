"""A subscription as text with the place where it stands, and what remains of it when it cannot be read."""

from __future__ import annotations

from msgspec import Struct

from triplewire.errors import SyntaxProblem, TriplewireError


class SubscriptionEntry(Struct, frozen=True):
    """A subscription, not yet parsed. `source` names the file and, in a file of many, what `place` counts."""

    file: str
    source: str
    place: int
    id: str
    language: str
    text: str
    owner: str | None = None


class BadEntry(Struct, frozen=True):
    """A subscription or a file that could not be read. `place` is the line or row in a file of many, else 0.

    `source` is the file; `id` is the subscription's identifier, as far as that could be read.
    """

    source: str
    place: int
    error: TriplewireError
    id: str | None = None

    def __str__(self) -> str:
        return str(self.error)


def decoded(data: bytes) -> str:
    """The text of UTF-8 bytes, with or without a byte order mark."""
    content = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        readable = content.decode(errors="replace")
        offset = len(content[: error.start].decode())
        raise SyntaxProblem.at(
            readable, offset, wanted="UTF-8", found=f"the byte 0x{content[error.start]:02X}"
        ) from None
