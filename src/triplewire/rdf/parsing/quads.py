"""Quads from a document: pyoxigraph's parsers, with our limits before them and our errors after them.

Relative IRIs need a base: the one that the caller gives, else the URL of the document's file. Without one they are
syntax errors in every format; JSON-LD's own rules would drop such triples without a word, so its documents are read
against a base that nobody uses, and what comes out with it is reported. N-Triples and N-Quads know no relative IRIs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from pyoxigraph import Literal, NamedNode, Quad, parse

from triplewire.errors import Facts, InputError, InvalidTerm, RefusedFeature, SyntaxProblem
from triplewire.rdf.documents import Document
from triplewire.rdf.formats import JSONLD, NQUADS, NTRIPLES, RDFXML, Format
from triplewire.rdf.limits import DEFAULT_LIMITS, Limits
from triplewire.rdf.parsing.blank_nodes import without_blank_graphs
from triplewire.rdf.parsing.contexts import NO_CONTEXTS, Contexts, with_contexts
from triplewire.rdf.parsing.nesting_depth import check_nesting
from triplewire.rdf.parsing.positions import offset_of_failure, offset_of_quad, place_of, problem_at, problem_at_offset
from triplewire.rdf.parsing.rdf_xml import plain_markup
from triplewire.rdf.terms import Term, Triple

_NO_BASE = "triplewire-no-base://document/"
_PLACE_IN_MESSAGE = re.compile(r"^Parser error at line .*? columns? \d+(?: and (?:column )?\d+)?: ", re.DOTALL)
_NO_SCHEME = "No scheme found in an absolute IRI"
_IRI_OR_BASE = "an absolute IRI, or a base (base, --base)"
_WITHOUT_BASE = (NQUADS, NTRIPLES)
_NAMED_IN_MESSAGE = re.compile(r"@\w+|'[^']+'|`[^`]+`")


def parse_quads(
    document: Document,
    form: Format,
    *,
    base: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    contexts: Contexts = NO_CONTEXTS,
) -> Iterator[Quad]:
    """Every quad of the document, in its order. All checks of the text happen at once.

    Raises `SyntaxProblem` with line and column, `RefusedFeature` for a DOCTYPE that is more than text or a context that
    `contexts` does not have, `LimitExceeded` for text that nests too deep.
    """
    return iter(QuadReader(document, form, base=base, limits=limits, contexts=contexts))


class QuadReader:
    """The quads of a document one by one; knows the line on which the last one ends."""

    def __init__(
        self,
        document: Document,
        form: Format,
        *,
        base: str | None = None,
        limits: Limits = DEFAULT_LIMITS,
        contexts: Contexts = NO_CONTEXTS,
    ) -> None:
        self._form = form
        self._base = base or document.base
        check_base(self._base)
        self._document = document
        self._text = _readable(document, form, self._base, limits, contexts)
        self._taken = 0

    def __iter__(self) -> Iterator[Quad]:
        return self._counted(self._quads())

    def without_blank_graphs(self) -> Iterator[Quad]:
        """The same quads, with an IRI for each blank node that names a graph. Takes all of them into memory."""
        return self._counted(without_blank_graphs(list(self._quads()), self._document.data))

    def blame(self, error: InputError) -> InputError:
        """Say of an error over the last quad where that quad stands."""
        return error.standing_at(self.line_of(self._taken)) if self._taken and error.line is None else error

    def line_of(self, number: int) -> int:
        """The line on which a quad is complete; quads count from 1."""
        if self._form is JSONLD and self._text is not self._document:
            return 1  # written anew, with contexts in it, it is one line
        base = _NO_BASE if self._form is JSONLD and self._base is None else self._base
        return place_of(self._text, offset_of_quad(self._text, self._form, base, number))[0]

    def _counted(self, quads: Iterable[Quad]) -> Iterator[Quad]:
        self._taken = 0
        for quad in quads:
            self._taken += 1
            yield quad

    def _quads(self) -> Iterator[Quad]:
        if self._form is JSONLD and self._base is None:
            return self._quads_without_base()
        return self._parsed(self._base)

    def _parsed(self, base: str | None) -> Iterator[Quad]:
        try:
            yield from parse(self._text.data, self._form.syntax, base_iri=base)
        except SyntaxError as error:
            # Of JSON-LD only the text as it came can tell where something stands.
            place = self._document if self._form is JSONLD else self._text
            raise _problem(place, self._form, base, error) from None

    def _quads_without_base(self) -> Iterator[Quad]:
        for quad in self._parsed(_NO_BASE):
            for iri in _iris(quad):
                if iri.startswith(_NO_BASE):
                    raise _relative(self._document, iri.removeprefix(_NO_BASE))
            yield quad


def _readable(document: Document, form: Format, base: str | None, limits: Limits, contexts: Contexts) -> Document:
    """The document as the parser may see it."""
    check_nesting(document, form, limits)
    if form is RDFXML:
        return plain_markup(document, limits)
    if form is not JSONLD:
        return document
    written = with_contexts(document, contexts, base, limits)
    if written is not document:
        check_nesting(written, form, limits)
    return written


def check_base(base: str | None) -> None:
    """Raise `InvalidTerm` if the base is no absolute IRI."""
    if base is None:
        return
    try:
        NamedNode(base)
    except ValueError as error:
        raise InvalidTerm(wanted="an absolute IRI as base", found=f"{base!r}: {error}") from None


def _iris(term: Term | Quad | object) -> Iterator[str]:
    if isinstance(term, NamedNode):
        yield term.value
    elif isinstance(term, Literal):
        yield term.datatype.value
    elif isinstance(term, Triple | Quad):
        for part in term:
            yield from _iris(part)


def _relative(document: Document, iri: str) -> SyntaxProblem:
    offset = max(0, document.data.find(f'"{iri}"'.encode()))
    return problem_at_offset(document, offset, wanted=_IRI_OR_BASE, found=f"the relative IRI {iri!r}")


def _problem(document: Document, form: Format, base: str | None, error: SyntaxError) -> SyntaxProblem | RefusedFeature:
    # Oxigraph's parsers raise one class for everything: only its text tells what was wrong.
    message = reason_in(error)
    if "LoadDocumentCallback" in message:
        return RefusedFeature("@context", "remote JSON-LD contexts are refused", source=document.source)
    summary, facts = _summary_and_facts(form, message)
    if error.lineno is not None:
        return problem_at(document, error.lineno, error.offset or 1, summary, **facts)
    return problem_at_offset(document, _LOCATORS[form.name](document, form, base, message), summary, **facts)


def reason_in(error: SyntaxError) -> str:
    """What the parser found wrong, without the place."""
    return _PLACE_IN_MESSAGE.sub("", error.msg)


def _summary_and_facts(form: Format, message: str) -> tuple[str | None, Facts]:
    before, is_relative, _ = message.partition(_NO_SCHEME)
    if not is_relative:
        return message, Facts()
    wanted = f"an absolute IRI, as {form.name} has no other" if form in _WITHOUT_BASE else _IRI_OR_BASE
    return before.removesuffix(": ") or None, Facts(wanted=wanted, found="a relative one")


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
