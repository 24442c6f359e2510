"""How deep brackets nest, measured by one linear scan before any parser sees the text (row A3).

The parser underneath recurses over nested triple terms, so that some ten thousand of them end the process, and needs
quadratic time for nested JSON and XML. The scan knows strings, IRIs, comments and escapes of the syntax; it agrees with
the parser up to the first syntax error, and beyond that nothing is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from triplewire.errors import LimitExceeded
from triplewire.rdf.documents import Document
from triplewire.rdf.formats import JSONLD, NQUADS, NTRIPLES, TRIG, TURTLE, Format
from triplewire.rdf.limits import Limits, exceeded
from triplewire.rdf.parsing.positions import place_of


class _Syntax(Struct, frozen=True):
    """What the scan stops at, and for each kind of quotes what ends such a string or is an escape in it.

    Strings are read piece by piece: one expression for a whole string would remember every escape in it. A possessive
    quantifier would not, but Python before 3.11.5 misreads those.
    """

    token: re.Pattern[bytes]
    ends: Mapping[bytes, re.Pattern[bytes]]


def _end(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"\\.|" + pattern, re.DOTALL)


_TURTLE = _Syntax(
    re.compile(
        rb"(?P<quote>\"\"\"|'''|[\"'])"
        rb"|\#[^\n\r]*"
        rb"|\\."
        rb"|(?P<open><<\(?|[\[({])"
        rb"|(?P<close>\)?>>|[\])}])"
        rb"|<[^>]*>?",
        re.DOTALL,
    ),
    {b'"""': _end(b'"""'), b"'''": _end(b"'''"), b'"': _end(rb'["\n\r]'), b"'": _end(rb"['\n\r]")},
)
_JSON = _Syntax(re.compile(rb"(?P<quote>\")|(?P<open>[\[{])|(?P<close>[\]}])"), {b'"': _end(b'"')})


def check_nesting(document: Document, form: Format, limits: Limits) -> None:
    """Raise `LimitExceeded` where brackets nest deeper than `limits.depth`. XML is counted in `rdf.parsing.rdf_xml`."""
    syntax = _SYNTAXES.get(form.name)
    if syntax is None or _openers(document.data) <= limits.depth:
        return
    _scan(syntax, document, limits)


_SYNTAXES = {
    NQUADS.name: _TURTLE,
    NTRIPLES.name: _TURTLE,
    TURTLE.name: _TURTLE,
    TRIG.name: _TURTLE,
    JSONLD.name: _JSON,
}


def _openers(data: bytes) -> int:
    """An upper bound of the depth that costs next to nothing: most events stay below it."""
    return sum(map(data.count, (b"(", b"[", b"{", b"<<")))


def _scan(syntax: _Syntax, document: Document, limits: Limits) -> None:
    depth = 0
    for bracket in _brackets(syntax, document.data):
        if bracket.lastgroup == "close":
            depth -= 1
            continue
        depth += 1
        if depth > limits.depth:
            raise too_deep(document, bracket.start(), limits)


def _brackets(syntax: _Syntax, data: bytes) -> Iterator[re.Match[bytes]]:
    place = 0
    while (found := syntax.token.search(data, place)) is not None:
        place = found.end()
        if found.lastgroup == "quote":
            place = _end_of_string(data, place, syntax.ends[found.group()])
        elif found.lastgroup is not None:
            yield found


def _end_of_string(data: bytes, place: int, end: re.Pattern[bytes]) -> int:
    """A string without an end goes on to the end of the line or of the text."""
    found = (match.end() for match in end.finditer(data, place) if not match.group().startswith(b"\\"))
    return next(found, len(data))


def too_deep(document: Document, offset: int, limits: Limits) -> LimitExceeded:
    """The error for a bracket at a byte offset."""
    error = exceeded("depth", limits.depth, "nested too deep", limits.depth + 1)
    error.standing_at(*place_of(document, offset))
    return error.located_in(document.source)
