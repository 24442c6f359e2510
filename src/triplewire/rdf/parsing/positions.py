"""Where in a document something is wrong, also where the parser does not say.

pyoxigraph gives no place for what is wrong with a quad that is well-formed, nor for most errors in RDF/XML. To see how
far it had come, it reads the document again, by pieces and then byte by byte.
"""

from __future__ import annotations

import itertools
import re
from itertools import islice
from typing import Unpack

from pyoxigraph import parse

from triplewire.errors import Facts, SyntaxProblem
from triplewire.rdf.documents import Document
from triplewire.rdf.formats import Format

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


# Where the parser does not say


_PIECE = 4096


def offset_of_failure(document: Document, form: Format, base: str | None) -> int:
    """The byte at which the parser fails."""
    return _reread(document, form, base, None)


def offset_of_quad(document: Document, form: Format, base: str | None, number: int) -> int:
    """The byte with which a quad is complete; quads count from 1."""
    return _reread(document, form, base, number)


def _reread(document: Document, form: Format, base: str | None, quads: int | None) -> int:
    last_piece = _read(document, form, base, quads, len(document.data))
    return _read(document, form, base, quads, last_piece)


def _read(document: Document, form: Format, base: str | None, quads: int | None, in_pieces: int) -> int:
    """Where the piece begins that the parser stopped in, if the first `in_pieces` bytes come in large pieces."""
    reader = _PieceReader(document.data, in_pieces)
    try:
        for _ in islice(parse(reader, form.syntax, base_iri=base), quads):  # type: ignore[arg-type]
            pass
    except SyntaxError:
        return reader.piece
    return 0 if quads is None else reader.piece


class _PieceReader:
    """A binary file that remembers where the last piece it handed out begins."""

    def __init__(self, data: bytes, in_pieces: int) -> None:
        self._data = data
        self._in_pieces = in_pieces
        self._position = 0
        self.piece = 0

    def read(self, _size: int = -1) -> bytes:
        end = min(self._position + _PIECE, self._in_pieces)
        piece = self._data[self._position : max(end, self._position + 1)]
        if piece:
            self.piece = self._position
        self._position += len(piece)
        return piece
