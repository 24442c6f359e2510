"""How deep brackets nest, told by one linear scan before any parser sees the text (row A3).

The parser underneath recurses over nested triple terms, so that some ten thousand of them end the process, and needs
quadratic time for nested JSON and XML. The scan knows strings, IRIs, comments and escapes of the syntax; it agrees with
the parser up to the first syntax error, and beyond that nothing is parsed.
"""

from __future__ import annotations

import re

from triplewire.errors import LimitExceeded
from triplewire.rdf.documents import Document
from triplewire.rdf.formats import JSONLD, NQUADS, NTRIPLES, TRIG, TURTLE, Format
from triplewire.rdf.limits import Limits, exceeded
from triplewire.rdf.positions import place_of

# Possessive quantifiers: an unterminated string ends the scan instead of starting it anew at each quote.
_TURTLE_TOKEN = re.compile(
    rb'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?'
    rb"|'''(?:[^'\\]|\\.|'(?!''))*+(?:''')?"
    rb'|"(?:[^"\\\n\r]|\\.)*+"?'
    rb"|'(?:[^'\\\n\r]|\\.)*+'?"
    rb"|\#[^\n\r]*+"
    rb"|\\."
    rb"|(?P<open><<\(?|[\[({])"
    rb"|(?P<close>\)?>>|[\])}])"
    rb"|<[^>]*+>?",
    re.DOTALL,
)
_JSON_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"?|(?P<open>[\[{])|(?P<close>[\]}])', re.DOTALL)


def check_nesting(document: Document, form: Format, limits: Limits) -> None:
    """Raise `LimitExceeded` where brackets nest deeper than `limits.depth`. XML is counted in `rdf.markup`."""
    token = _TOKENS.get(form.name)
    if token is None or _openers(document.data) <= limits.depth:
        return
    _scan(token, document, limits)


_TOKENS = {
    NQUADS.name: _TURTLE_TOKEN,
    NTRIPLES.name: _TURTLE_TOKEN,
    TURTLE.name: _TURTLE_TOKEN,
    TRIG.name: _TURTLE_TOKEN,
    JSONLD.name: _JSON_TOKEN,
}


def _openers(data: bytes) -> int:
    """An upper bound of the depth that costs next to nothing: most events stay below it."""
    return sum(map(data.count, (b"(", b"[", b"{", b"<<")))


def _scan(token: re.Pattern[bytes], document: Document, limits: Limits) -> None:
    depth = 0
    for match in token.finditer(document.data):
        if match.lastgroup == "open":
            depth += 1
            if depth > limits.depth:
                raise too_deep(document, match.start(), limits)
        elif match.lastgroup == "close":
            depth -= 1


def too_deep(document: Document, offset: int, limits: Limits) -> LimitExceeded:
    """The error for a bracket at a byte offset."""
    error = exceeded("depth", limits.depth, "nested too deep", limits.depth + 1)
    error.standing_at(*place_of(document, offset))
    return error.located_in(document.source) if document.source else error
