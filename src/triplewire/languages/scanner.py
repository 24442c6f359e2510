"""Reading a small language by asking for what may come next.

A scanner stands at a place in the text and is asked for one thing at a time. Because the parser says what it wants,
`<` is an operator where an operator may stand and opens an IRI where a term may stand; no token is guessed in advance.
"""

from __future__ import annotations

import re
from typing import Unpack

from msgspec import Struct

from triplewire.errors import Facts, InputError, LimitExceeded, SyntaxProblem

MAX_TEXT_BYTES = 64 * 1024


class TextLimit(Struct, frozen=True):
    """How large a kind of text may be."""

    kind: str
    max_bytes: int


SUBSCRIPTION = TextLimit("subscription", MAX_TEXT_BYTES)

SPACES_AND_COMMENTS = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
SPACES_IN_A_LINE = re.compile(r"(?:[ \t]|#[^\r\n]*)*")

_SHOWN_LENGTH = 60
_SHOWN = re.compile(r"""<[^<>\s]*>|"[^"\r\n]*"|'[^'\r\n]*'|;;|[?$]?\w+(?::\w*)?|!=|\S""")


class Scanner:
    """A place in a text. `gap` is what may stand between two things and means nothing."""

    def __init__(self, text: str, gap: re.Pattern[str] = SPACES_AND_COMMENTS, limit: TextLimit = SUBSCRIPTION) -> None:
        _check_size(text, limit)
        self.text = text
        self._gap = gap
        self.offset = 0
        self.skip()

    def accept(self, wanted: re.Pattern[str]) -> re.Match[str] | None:
        """Take what is wanted, if it stands here, and the gap behind it."""
        found = wanted.match(self.text, self.offset)
        if found:
            self.offset = found.end()
            self.skip()
        return found

    def expect(self, wanted: re.Pattern[str], name: str) -> re.Match[str]:
        """Take what is wanted, or say that it was wanted."""
        found = self.accept(wanted)
        if found is None:
            raise self.problem(wanted=name, found=self.here())
        return found

    def sees(self, wanted: re.Pattern[str]) -> bool:
        """Whether it stands here; nothing is taken."""
        return wanted.match(self.text, self.offset) is not None

    @property
    def at_end(self) -> bool:
        return self.offset == len(self.text)

    def here(self) -> str:
        """What stands here, for a message."""
        if self.at_end:
            return "the end of the text"
        if self.text[self.offset] in "\r\n":
            return "the end of the line"
        shown = _SHOWN.match(self.text, self.offset)
        return shortened(shown.group()) if shown else repr(self.text[self.offset])

    def problem(self, summary: str | None = None, offset: int | None = None, **facts: Unpack[Facts]) -> SyntaxProblem:
        """The syntax error for this place, or for another."""
        return SyntaxProblem.at(self.text, self.offset if offset is None else offset, summary, **facts)

    def check_count(self, limit: str, allowed: int, found: int) -> None:
        """Refuse more than `allowed` of what `limit` names, and say where."""
        if found > allowed:
            raise too_many(limit, allowed).standing_in(self.text, self.offset)

    def skip(self) -> None:
        """Pass over the gap that stands here."""
        gap = self._gap.match(self.text, self.offset)
        self.offset = gap.end() if gap else self.offset


def shortened(text: str) -> str:
    """As much of a text as a message can bear."""
    return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]}..."


def _check_size(text: str, limit: TextLimit) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        found = f"the lone surrogate U+{ord(text[error.start]):04X}"
        # The message must be printable, so it cannot quote what is wrong.
        printable = text.encode(errors="replace").decode()
        raise SyntaxProblem.at(printable, error.start, wanted="Unicode text", found=found) from None
    if size > limit.max_bytes:
        allowed = f"a {limit.kind} may have {limit.max_bytes:,} bytes"
        raise LimitExceeded(f"{limit.kind} bytes", limit.max_bytes, allowed, found=f"{size:,}")


def check_count(limit: str, allowed: int, found: int) -> None:
    """Refuse more than `allowed` of what `limit` names."""
    if found > allowed:
        raise too_many(limit, allowed)


def too_many(limit: str, allowed: int) -> LimitExceeded:
    """The error for more than `allowed` of what `limit` names."""
    return LimitExceeded(limit, allowed, f"a subscription may have {allowed:,} {limit}", found="more")


def inexpressible(language: str, what: str) -> InputError:
    """The error for a query that a language has no words for."""
    return InputError(f"the {language} language cannot express {what}")
