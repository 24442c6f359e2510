"""Where in a document something is wrong, also where the parser does not say."""

from __future__ import annotations

import itertools
import re
from typing import Unpack

from triplewire.errors import Facts, SyntaxProblem
from triplewire.rdf.documents import Document

_LINE_END = re.compile(r"\r\n|\r|\n")
_AROUND = 60


def problem_at(
    document: Document, line: int, column: int, summary: str | None = None, **facts: Unpack[Facts]
) -> SyntaxProblem:
    """The error for a line and column that count from 1; a line ends as the RDF syntaxes say, also with a lone CR."""
    text = _line(document.text, line)
    cut = max(0, column - 1 - _AROUND)
    return SyntaxProblem(
        summary,
        line=line,
        column=column,
        around=text[cut : column - 1 + _AROUND].replace("\t", " "),
        caret=column - 1 - cut,
        **facts,
    ).located_in(document.source)


def problem_at_offset(
    document: Document, offset: int, summary: str | None = None, **facts: Unpack[Facts]
) -> SyntaxProblem:
    """The error for a byte offset."""
    line, column = place_of(document, offset)
    return problem_at(document, line, column, summary, **facts)


def place_of(document: Document, offset: int) -> tuple[int, int]:
    """Line and column of a byte, both from 1."""
    before = document.data[:offset].decode(errors="ignore")
    line_start = max((match.end() for match in _LINE_END.finditer(before)), default=0)
    line = sum(1 for _ in _LINE_END.finditer(before)) + 1
    return line, len(before) - line_start + 1


def _line(text: str, number: int) -> str:
    ends = itertools.islice(_LINE_END.finditer(text), number - 2, number) if number > 1 else ()
    bounds = [end.span() for end in ends]
    if number == 1:
        return _LINE_END.split(text, maxsplit=1)[0]
    if not bounds:
        return ""
    start = bounds[0][1]
    return text[start : bounds[1][0] if len(bounds) > 1 else len(text)]
