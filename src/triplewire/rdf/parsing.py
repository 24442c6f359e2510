"""Quads from a document: pyoxigraph's parsers, with our limits before them and our errors after them.

Relative IRIs need a base. Without one they are syntax errors in every format; JSON-LD's own rules would drop such
triples without a word, so its documents are read against a base that nobody uses, and what comes out with it is
reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from pyoxigraph import Literal, NamedNode, Quad, parse

from triplewire.errors import InvalidTerm, RefusedFeature, SyntaxProblem
from triplewire.rdf.contexts import check_contexts
from triplewire.rdf.documents import Document
from triplewire.rdf.formats import JSONLD, RDFXML, Format
from triplewire.rdf.limits import DEFAULT_LIMITS, Limits
from triplewire.rdf.markup import check_markup
from triplewire.rdf.nesting import check_nesting
from triplewire.rdf.positions import problem_at, problem_at_offset
from triplewire.rdf.terms import Term, Triple

_PIECE = 4096
_NO_BASE = "triplewire-no-base://document/"
_PLACE_IN_MESSAGE = re.compile(r"^Parser error at line .*? columns? \d+(?: and (?:column )?\d+)?: ", re.DOTALL)
_NAMED_IN_MESSAGE = re.compile(r"@\w+|'[^']+'|`[^`]+`")


def parse_quads(
    document: Document, form: Format, *, base: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> Iterator[Quad]:
    """Every quad of the document, in its order. All checks of the text happen at the first step.

    Raises `SyntaxProblem` with line and column, `RefusedFeature` for a DOCTYPE or a remote context, `LimitExceeded`
    for text that nests too deep.
    """
    check_nesting(document, form, limits)
    if form is RDFXML:
        check_markup(document, limits)
    if form is JSONLD:
        check_contexts(document)
        return _quads_with_base(document, form, base)
    return _quads(document, form, base)


def _quads(document: Document, form: Format, base: str | None) -> Iterator[Quad]:
    check_base(base)
    try:
        yield from parse(document.data, form.syntax, base_iri=base)
    except SyntaxError as error:
        raise _problem(document, form, base, error) from None


def check_base(base: str | None) -> None:
    """Raise `InvalidTerm` if the base is no absolute IRI."""
    if base is None:
        return
    try:
        NamedNode(base)
    except ValueError as error:
        raise InvalidTerm(f"wanted an absolute IRI as base, found {base!r}: {error}") from None


def _quads_with_base(document: Document, form: Format, base: str | None) -> Iterator[Quad]:
    if base is not None:
        yield from _quads(document, form, base)
        return
    for quad in _quads(document, form, _NO_BASE):
        for iri in _iris(quad):
            if iri.startswith(_NO_BASE):
                raise _relative(document, iri.removeprefix(_NO_BASE))
        yield quad


def _iris(term: Term | Quad | object) -> Iterator[str]:
    if isinstance(term, NamedNode):
        yield term.value
    elif isinstance(term, Literal):
        yield term.datatype.value
    elif isinstance(term, Triple | Quad):
        for part in term:
            yield from _iris(part)


def _relative(document: Document, iri: str) -> SyntaxProblem:
    message = f"wanted an absolute IRI or a base, found the relative IRI {iri!r}"
    return problem_at_offset(document, max(0, document.data.find(f'"{iri}"'.encode())), message)


def _problem(document: Document, form: Format, base: str | None, error: SyntaxError) -> SyntaxProblem | RefusedFeature:
    message = _PLACE_IN_MESSAGE.sub("", error.msg)
    if "LoadDocumentCallback" in message:
        return RefusedFeature("@context", "remote JSON-LD contexts are refused", source=document.source)
    if error.lineno is not None:
        return problem_at(document, error.lineno, error.offset or 1, message)
    return problem_at_offset(document, _LOCATORS[form.name](document, form, base, message), message)


def _offset_by_reading(document: Document, form: Format, base: str | None, _message: str) -> int:
    """The parser tells no place, so it reads again and shows how far it came: by pieces, then byte by byte."""
    last_piece = _read_until_failure(document, form, base, len(document.data))
    return _read_until_failure(document, form, base, last_piece)


def _read_until_failure(document: Document, form: Format, base: str | None, in_pieces: int) -> int:
    """Where the piece begins that the parser failed on, if the first `in_pieces` bytes come in large pieces."""
    reader = _PieceReader(document.data, in_pieces)
    try:
        for _ in parse(reader, form.syntax, base_iri=base):  # type: ignore[arg-type]
            pass
    except SyntaxError:
        return reader.piece
    return 0


def _offset_of_what_is_named(document: Document, _form: Format, _base: str | None, message: str) -> int:
    """JSON-LD is read whole before it is understood: look for what the message names."""
    named = _NAMED_IN_MESSAGE.search(message)
    return max(0, document.data.find(named.group().strip("'`").encode())) if named else 0


_LOCATORS: dict[str, Callable[[Document, Format, str | None, str], int]] = {
    RDFXML.name: _offset_by_reading,
    JSONLD.name: _offset_of_what_is_named,
}


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
