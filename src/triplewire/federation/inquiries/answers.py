"""What an answer may contain: limits against those who would answer too much, and what of a text is told to others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from triplewire.errors import MessageRefused

LONGEST_TEXT = 1_000
LONGEST_NAME = 300
MOST = 2_000
"""Entries of each kind in one answer."""
MOST_IN_ALL = 20_000
"""Units, arcs and questions of one inquiry, all answers together."""

_TERMS = re.compile(
    r"""<[^<>\s]*>                                   # an IRI
      | "(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^<>\s]*>)?  # a literal
      | '(?:[^'\\]|\\.)*'
      | _:[^\s,;()]+                                # a blank node
      | \b[a-z][a-z0-9+.-]*:[^\s,;()]+               # an IRI without brackets, or a prefixed name
    """,
    re.VERBOSE | re.IGNORECASE,
)

_Entry = TypeVar("_Entry")


def shown(text: str, longest: int = LONGEST_TEXT) -> str:
    """A text as it may be shown: of bounded length, and on one line.

    >>> shown("a\\x1b[31mb", 5)
    'a [3…'
    """
    line = "".join(char if char.isprintable() else " " for char in text[: longest + 1])
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def without_terms(reason: str) -> str:
    """A reason without the terms in it, which may be data that others may not read.

    >>> without_terms('wanted the right to write <urn:a> <urn:b> "x y", found private')
    'wanted the right to write … … …, found private'
    """
    return _TERMS.sub("…", reason)


def at_most(entries: Sequence[_Entry], what: str) -> Sequence[_Entry]:
    """Raise `MessageRefused` if an answer has too many of something."""
    if len(entries) > MOST:
        raise MessageRefused(what, wanted=f"at most {MOST:,} {what} in one answer", found=f"{len(entries):,}")
    return entries
