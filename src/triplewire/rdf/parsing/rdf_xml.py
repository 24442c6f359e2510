"""RDF/XML before the RDF parser sees it: well-formed, not too deep, and without a DOCTYPE (row A4).

A DOCTYPE may define entities that expand to gigabytes, and the RDF parser expands them. What `entities` could not write
out and remove is refused: a strict XML parser goes first and stops at any DOCTYPE that is left. The one inside
the RDF parser would also take `<!doctype` and one in the middle of the document, which to a strict parser are syntax
errors.
"""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers.expat import ExpatError, ParserCreate, errors

from triplewire.errors import RefusedFeature
from triplewire.rdf.documents import Document
from triplewire.rdf.limits import Limits
from triplewire.rdf.parsing.entities import without_entities
from triplewire.rdf.parsing.nesting_depth import too_deep
from triplewire.rdf.parsing.positions import problem_at

_WANTED = "a well-formed DOCTYPE before the first element, with entities of text only"


def plain_markup(document: Document, limits: Limits) -> Document:
    """The document with its own entities written out, or `RefusedFeature`, `LimitExceeded` or `SyntaxProblem`."""
    written = without_entities(document, limits)
    _check(written, limits)
    return written


def _check(document: Document, limits: Limits) -> None:
    # The document is known to be UTF-8: what its declaration says must not make this parser read other text.
    parser = ParserCreate("utf-8")
    depth = 0

    def refuse(*_: object) -> None:
        raise _refused(document, parser.CurrentLineNumber, parser.CurrentColumnNumber)

    def enter(_name: str, _attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > limits.depth:
            raise too_deep(document, parser.CurrentByteIndex, limits)

    def leave(_name: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = enter
    parser.EndElementHandler = leave
    _run(lambda: parser.Parse(document.data, True), document)


def _run(parse: Callable[[], object], document: Document) -> None:
    try:
        parse()
    except ExpatError as error:
        if b"<!doctype" in document.data.lower():
            raise _refused(document, error.lineno, error.offset) from None
        found = errors.messages.get(error.code, str(error))
        raise problem_at(document, error.lineno, error.offset + 1, wanted="well-formed XML", found=found) from None


def _refused(document: Document, line: int, offset: int) -> RefusedFeature:
    return RefusedFeature("DOCTYPE", wanted=_WANTED, hint="any other is refused", source=document.source).standing_at(
        line, offset + 1
    )
