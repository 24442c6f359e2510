"""Quads from a document: pyoxigraph's parsers, with our limits before them and our errors after them.

Relative IRIs need a base. Without one they are syntax errors in every format; JSON-LD's own rules would drop such
triples without a word, so its documents are read against a base that nobody uses, and what comes out with it is
reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from pyoxigraph import Literal, NamedNode, Quad, parse

from triplewire.errors import InputError, InvalidTerm, RefusedFeature, SyntaxProblem
from triplewire.rdf.contexts import check_contexts
from triplewire.rdf.documents import Document
from triplewire.rdf.formats import JSONLD, RDFXML, Format
from triplewire.rdf.limits import DEFAULT_LIMITS, Limits
from triplewire.rdf.markup import check_markup
from triplewire.rdf.nesting import check_nesting
from triplewire.rdf.positions import place_of, problem_at, problem_at_offset
from triplewire.rdf.rereading import offset_of_failure, offset_of_quad
from triplewire.rdf.terms import Term, Triple

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


class QuadReader:
    """The quads of a document one by one; knows the line on which the last one ends."""

    def __init__(self, document: Document, form: Format, *, base: str | None = None, limits: Limits = DEFAULT_LIMITS):
        self._document = document
        self._form = form
        self._base = base
        self._quads = parse_quads(document, form, base=base, limits=limits)
        self._taken = 0

    def __iter__(self) -> Iterator[Quad]:
        for quad in self._quads:
            self._taken += 1
            yield quad

    def blame(self, error: InputError) -> InputError:
        """Say of an error over the last quad where that quad stands."""
        return error.standing_at(self.line_of(self._taken)) if self._taken and error.line is None else error

    def line_of(self, number: int) -> int:
        """The line on which a quad is complete; quads count from 1."""
        base = _NO_BASE if self._form is JSONLD and self._base is None else self._base
        return place_of(self._document, offset_of_quad(self._document, self._form, base, number))[0]


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
    return offset_of_failure(document, form, base)


def _offset_of_what_is_named(document: Document, _form: Format, _base: str | None, message: str) -> int:
    """JSON-LD is read whole before it is understood: look for what the message names."""
    named = _NAMED_IN_MESSAGE.search(message)
    return max(0, document.data.find(named.group().strip("'`").encode())) if named else 0


_LOCATORS: dict[str, Callable[[Document, Format, str | None, str], int]] = {
    RDFXML.name: _offset_by_reading,
    JSONLD.name: _offset_of_what_is_named,
}
