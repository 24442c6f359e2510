"""One line of a patch, cut into an operation and its parts.

The quads of `A` and `D` are left as they are written: the N-Quads parser reads them, many at once.
"""

from __future__ import annotations

import re
from typing import NoReturn

from msgspec import Struct
from pyoxigraph import RdfFormat, parse

from triplewire.errors import SyntaxProblem
from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Term

OPERATIONS = "A, D, PA, PD, H, TX, TC or TA"

_AROUND = 60
_NOTHING = re.compile(r"[ \t]*(?:#.*)?")
_OPERATION = re.compile(r"[ \t]*(\w+)[ \t]*")
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_TOKEN = re.compile(
    rf"[ \t]*(?:({_STRING}(?:@[A-Za-z0-9-]+|\^\^<[^<>\s]*>)?)|(<[^<>\"\s]*>|_:[^\s<>\"]*[^\s<>\".])|([\w-]+)|(\.)|#.*)"
)
_LITERAL, _NODE, _WORD, _DOT = range(1, 5)
# A string without an end goes on to the end, lest each quote in it be tried again as a beginning.
_STRING_OR_NODE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|<_:([^<>\s]*)>')
_LABEL = re.compile(r"[\w·‿⁀](?:[\w·‿⁀.-]*[\w·‿⁀-])?")


class Row(Struct, frozen=True):
    """A line that says something: its operation, and where what follows begins."""

    text: str
    line: int
    operation: str
    rest: int

    def fail(self, at: int, wanted: str, found: str | None = None) -> NoReturn:
        """Raise the error for a place in the line."""
        raise problem(self.text, self.line, at, wanted, found)

    def expect_dot(self) -> None:
        """Nothing but a dot follows."""
        self._parts(())

    def quad(self) -> str:
        """The quad as N-Quads has it, `<_:label>` written as `_:label`."""
        if _NOTHING.fullmatch(self.text, self.rest):
            self.fail(self.rest, "a triple or quad")
        written = self.text[self.rest :]
        return _STRING_OR_NODE.sub(self._plain_label, written) if "<_:" in written else written

    def _plain_label(self, found: re.Match[str]) -> str:
        label = found[1]
        if label is None:
            return found[0]
        if not _LABEL.fullmatch(label):
            self.fail(self.rest + found.start(), "a blank-node label of N-Quads", found[0])
        return f"_:{label}"

    def header(self) -> tuple[str, Term]:
        """Name and value of an `H` row."""
        name, value = self._parts(("the name of a header", "the value of the header"))
        return self._name(name, "the name of a header"), self._term(value)

    def prefix_added(self) -> tuple[str, str, NamedNode | BlankNode | None]:
        """Prefix, namespace and graph of a `PA` row."""
        name, namespace, *graph = self._parts(("a prefix", "the IRI of the prefix"), most=3)
        term = self._term(namespace)
        if isinstance(term, BlankNode):
            self.fail(namespace.start(), "the IRI of the prefix")
        return self._name(name, "a prefix"), term.value, self._graph(graph)

    def prefix_removed(self) -> tuple[str, NamedNode | BlankNode | None]:
        """Prefix and graph of a `PD` row."""
        name, *graph = self._parts(("a prefix",), most=2)
        return self._name(name, "a prefix"), self._graph(graph)

    def _parts(self, wanted: tuple[str, ...], most: int | None = None) -> list[re.Match[str]]:
        """The tokens up to the dot: as many as are wanted, or up to `most`."""
        found: list[re.Match[str]] = []
        at = self.rest
        while True:
            token = _TOKEN.match(self.text, at)
            if token is None or token.lastindex is None:
                self.fail(at, wanted[len(found)] if len(found) < len(wanted) else "a dot")
            if token.lastindex == _DOT:
                break
            found.append(token)
            at = token.end()
            if len(found) > (most or len(wanted)):
                self.fail(token.start(token.lastindex), "a dot")
        if len(found) < len(wanted):
            self.fail(token.start(_DOT), wanted[len(found)])
        if not _NOTHING.fullmatch(self.text, token.end()):
            self.fail(token.end(), "the end of the line")
        return found

    def _name(self, token: re.Match[str], wanted: str) -> str:
        if token.lastindex == _WORD:
            return token[_WORD]
        term = self._term(token)
        if not isinstance(term, Literal):
            self.fail(token.start(_NODE), wanted)
        return term.value

    def _graph(self, tokens: list[re.Match[str]]) -> NamedNode | BlankNode | None:
        if not tokens:
            return None
        term = self._term(tokens[0])
        if not isinstance(term, NamedNode | BlankNode):
            self.fail(tokens[0].start(_LITERAL), "the name of a graph")
        return term

    def _term(self, token: re.Match[str]) -> NamedNode | BlankNode | Literal:
        at = token.start(token.lastindex or 0)
        written = _STRING_OR_NODE.sub(self._plain_label, token[0])
        try:
            (quad,) = parse(f"<urn:h> <urn:h> {written} .", RdfFormat.N_QUADS)
        except SyntaxError:
            self.fail(at, "an IRI, a literal or a blank node")
        assert isinstance(quad.object, NamedNode | BlankNode | Literal)
        return quad.object


def row_of(text: str, line: int) -> Row | None:
    """The row that a line is, or None if it says nothing."""
    if _NOTHING.fullmatch(text):
        return None
    found = _OPERATION.match(text)
    if found is None:
        raise problem(text, line, 0, f"a row that begins with {OPERATIONS}")
    return Row(text, line, found[1], found.end())


def problem(text: str, line: int, at: int, wanted: str, found: str | None = None) -> SyntaxProblem:
    """The error for a place in a line; `found` is what stands there, unless it is given."""
    seen = text[at:].strip()
    shown = seen if len(seen) <= _AROUND else f"{seen[:_AROUND]}..."
    cut = max(0, at - _AROUND)
    return SyntaxProblem(
        line=line,
        column=at + 1,
        around=text[cut : at + _AROUND].replace("\t", " "),
        caret=at - cut,
        wanted=wanted,
        found=found or (f"'{shown}'" if shown else "the end of the line"),
    )
