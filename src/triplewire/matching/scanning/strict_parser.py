"""The strict parser: what the scanner does not take itself, one line at a time.

A line that pyoxigraph reads becomes canonical text in a side buffer behind the scanned bytes, and its row points there.
A line that it refuses becomes an error, and its row tells which event is spoiled by it. Which one that is, a broken
line does not always say:

- between two lines of one event, it is that event, whatever the line itself seems to name;
- else it is the graph that the line ends in, if one can be read there;
- else, if the data ends in the middle of the line, it is the event before;
- else the line is an event of its own, without a name.
"""

from __future__ import annotations

import re

import numpy as np
from msgspec import Struct
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Triple, parse

from triplewire.errors import LimitExceeded
from triplewire.matching.kernels.columns import (
    BLANK,
    BROKEN,
    DIRECTED,
    END,
    ESCAPED,
    FRESH,
    IRI,
    LANGUAGE,
    LEXICAL_END,
    LEXICAL_START,
    OBJECT_KIND,
    QUAD_LINE,
    QUAD_STATE,
    QUAD_WIDTH,
    SLOW,
    START,
    STRING,
    TAG_END,
    TAG_START,
    TRIPLE,
    TYPED,
    G,
    O,
    P,
    S,
)
from triplewire.matching.kernels.machine import Table
from triplewire.rdf.documents import Document
from triplewire.rdf.formats import NQUADS
from triplewire.rdf.limits import DEFAULT_LIMITS
from triplewire.rdf.parsing.nesting_depth import check_nesting
from triplewire.rdf.terms import XSD, Term

_POSITION = re.compile(r"^Parser error at line \d+ (?:column \d+|between columns \d+ and \d+): ")
_LAST_IRI = re.compile(rb'(<[^<>"{}|^`\\\x00-\x20]*>)[ \t]*\.[ \t]*(?:#.*)?$')
_STRING = XSD["string"]
# How far the language or datatype stands from the closing quote and from the end: `"`, `"@..`, `"^^<..>`.
_TAG_EDGES = {STRING: (1, 0), LANGUAGE: (2, 0), DIRECTED: (2, 0), TYPED: (4, 1)}


class BrokenLine(Struct, frozen=True):
    """A line that is no quad of an event. Lines and columns count from 1."""

    line: int
    column: int
    message: str


class _Refusal(Struct, frozen=True):
    column: int
    message: str


def read_slow_lines(data: bytes, quads: Table) -> tuple[bytes, Table, list[BrokenLine]]:
    """Fill the SLOW rows with spans: `data` with their canonical text behind it, those rows, and what is broken."""
    slow = np.flatnonzero(quads[:, QUAD_STATE] == SLOW)
    side = bytearray()
    broken = []
    filled = []
    for start, end, line in quads[slow][:, [S + START, S + END, QUAD_LINE]].tolist():
        outcome = _read(data[start:end])
        if isinstance(outcome, Quad):
            filled.append(_row(outcome, line, len(data), side))
        else:
            filled.append(_broken_row(data[start:end], start, line))
            broken.append(BrokenLine(line, outcome.column, outcome.message))
    quads[slow] = filled
    return data + side, slow, broken


def _read(line: bytes) -> Quad | _Refusal:
    try:
        if b"<<" in line:
            check_nesting(Document(line), NQUADS, DEFAULT_LIMITS)
        quads = list(parse(line, format=RdfFormat.N_QUADS))
    except LimitExceeded as error:
        return _Refusal(1, error.message)
    except SyntaxError as error:
        return _Refusal(error.offset or 1, _POSITION.sub("", error.msg))
    if not quads:
        return _Refusal(1, "wanted a quad, found none")
    return quads[0] if isinstance(quads[0].graph_name, NamedNode) else _no_graph(line, quads[0])


def _no_graph(line: bytes, quad: Quad) -> _Refusal:
    end = len(line.decode().rstrip())
    if isinstance(quad.graph_name, DefaultGraph):
        return _Refusal(end, "wanted a graph IRI after the object, found a triple without a graph")
    return _Refusal(end, f"wanted a graph IRI after the object, found {quad.graph_name}")


def _row(quad: Quad, line: int, base: int, side: bytearray) -> list[int]:
    row = [0] * QUAD_WIDTH
    row[QUAD_STATE], row[QUAD_LINE] = FRESH, line
    for column, term in ((S, quad.subject), (P, quad.predicate), (O, quad.object), (G, quad.graph_name)):
        row[column + START] = base + len(side)
        side += spelling(term).encode()
        row[column + END] = base + len(side)
    row[OBJECT_KIND] = _kind(quad.object)
    if isinstance(quad.object, Literal):
        _fill_literal(row, side, base)
    return row


def spelling(term: Term | DefaultGraph) -> str:
    # pyoxigraph prints a triple term on its own without its brackets.
    return f"<<( {term} )>>" if isinstance(term, Triple) else str(term)


def _kind(term: Term) -> int:
    if isinstance(term, Literal):
        if term.language is not None:
            return LANGUAGE if term.direction is None else DIRECTED
        return STRING if term.datatype == _STRING else TYPED
    return {NamedNode: IRI, BlankNode: BLANK, Triple: TRIPLE}[type(term)]


def _fill_literal(row: list[int], side: bytearray, base: int) -> None:
    """Neither a language nor an IRI has a quote in it, so the last one closes the lexical form."""
    start, end = row[O + START] + 1, row[O + END]
    quote = base + side.rindex(b'"', start - base, end - base)
    row[LEXICAL_START], row[LEXICAL_END] = start, quote
    row[ESCAPED] = int(side.find(b"\\", start - base, quote - base) >= 0)
    before, after = _TAG_EDGES[row[OBJECT_KIND]]
    row[TAG_START], row[TAG_END] = quote + before, end - after


def _broken_row(line: bytes, start: int, number: int) -> list[int]:
    row = [0] * QUAD_WIDTH
    row[QUAD_STATE], row[QUAD_LINE] = BROKEN, number
    named = _LAST_IRI.search(line)
    if named:
        row[G + START], row[G + END] = start + named.start(1), start + named.end(1)
    return row


def give_broken_rows_to_events(data: bytes, unfinished: int, quads: Table) -> None:
    """Settle the graph of BROKEN rows. `unfinished` is the row of a line that the data ends in, or -1."""
    sound = np.flatnonzero(quads[:, QUAD_STATE] == FRESH)
    broken = np.flatnonzero(quads[:, QUAD_STATE] == BROKEN)
    for row, following in zip(broken.tolist(), np.searchsorted(sound, broken).tolist(), strict=True):
        before = _graph(quads, sound, following - 1)
        after = _graph(quads, sound, following)
        last_words = row == unfinished and quads[row, G + END] == 0
        if before is not None and (last_words or _same(data, before, after)):
            quads[row, [G + START, G + END]] = before


def _graph(quads: Table, sound: Table, index: int) -> tuple[int, int] | None:
    if not 0 <= index < len(sound):
        return None
    start, end = quads[sound[index], [G + START, G + END]].tolist()
    return start, end


def _same(data: bytes, a: tuple[int, int], b: tuple[int, int] | None) -> bool:
    return b is not None and data[a[0] : a[1]] == data[b[0] : b[1]]
