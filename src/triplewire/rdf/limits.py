"""Limits on what comes from outside, checked before and while it is read (rows A3, A4 and A7 of the threat table).

The defaults are generous for events, which are small by nature, and mean for attacks. Each field is one limit; its name
is what `LimitExceeded.limit` carries.
"""

from __future__ import annotations

from sys import maxsize

from msgspec import Struct

from triplewire.errors import LimitExceeded

KIB = 1024
MIB = 1024 * KIB


class Limits(Struct, frozen=True, kw_only=True):
    """How much one document and one event may be.

    >>> Limits().event_bytes, Limits(quads=3).quads
    (1048576, 3)
    """

    event_bytes: int = MIB
    """An event's N-Quads text, in bytes."""
    document_bytes: int = 64 * MIB
    """A document, before it is parsed. It may hold many events."""
    expanded_bytes: int = 256 * MIB
    """All N-Quads text of one document: a Turtle prefix is short where it is used and long where it is meant."""
    quads: int = 10_000
    """Different quads in one event."""
    literal_length: int = 256 * KIB
    """A literal's lexical form, in characters."""
    iri_length: int = 8 * KIB
    """An IRI, in characters."""
    depth: int = 64
    """Brackets inside brackets: collections, blank node lists, triple terms, JSON objects and arrays, XML elements."""
    row_bytes: int = MIB
    """A row of a patch, in bytes."""
    patch_rows: int = 100_000
    """Rows of one transaction of a patch."""


DEFAULT_LIMITS = Limits()


def limits_for(event_bytes: int | None, event_quads: int | None) -> Limits:
    """The usual limits, with others for one event. A document holds at least one.

    >>> limits_for(100 * MIB, None).document_bytes == 100 * MIB, limits_for(None, 3).quads
    (True, 3)
    """
    size = event_bytes or DEFAULT_LIMITS.event_bytes
    return Limits(
        event_bytes=size,
        document_bytes=max(DEFAULT_LIMITS.document_bytes, size),
        expanded_bytes=max(DEFAULT_LIMITS.expanded_bytes, size),
        quads=event_quads or DEFAULT_LIMITS.quads,
    )


# For what was within its limits when it came in, and is read again.
ANY_SIZE = Limits(
    event_bytes=maxsize,
    document_bytes=maxsize,
    expanded_bytes=maxsize,
    quads=maxsize,
    literal_length=maxsize,
    iri_length=maxsize,
    row_bytes=maxsize,
    patch_rows=maxsize,
)


def exceeded(limit: str, allowed: int, what: str, found: int | str) -> LimitExceeded:
    """The error that says which limit was passed, how much was allowed and what was found."""
    return LimitExceeded(limit, allowed, what, wanted=f"at most {allowed} ({limit})", found=str(found))
