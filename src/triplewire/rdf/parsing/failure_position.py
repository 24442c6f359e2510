"""How far the parser had come: it reads the document again, by pieces and then byte by byte.

pyoxigraph tells no place for what is wrong with a quad that is well-formed, nor for most errors in RDF/XML.
"""

from __future__ import annotations

from itertools import islice

from pyoxigraph import parse

from triplewire.rdf.documents import Document
from triplewire.rdf.formats import Format

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
