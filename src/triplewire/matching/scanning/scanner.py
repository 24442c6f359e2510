"""From N-Quads bytes to flat tables, without a Python object per term.

The scanner reads what is spelled canonically, which is what this library and most others write, at millions of quads a
second. The rest goes to the strict parser, line by line. Either way a term's bytes in the buffer are the one canonical
spelling of it, the one that pyoxigraph prints: equal bytes, equal terms.

Quads of one event are adjacent. A graph that comes again later, after another one, is taken for a new event; whether
that may be is for the caller to say.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from pyoxigraph import RdfFormat, parse

from triplewire.errors import InvalidTerm
from triplewire.matching.kernels.columns import (
    END,
    EVENT_FIRST,
    EVENT_GRAPH,
    EVENT_LAST,
    EVENT_REJECTED,
    EVENT_WIDTH,
    FRESH,
    QUAD_EVENT,
    QUAD_LINE,
    QUAD_STATE,
    QUAD_WIDTH,
    START,
    O,
    P,
    S,
)
from triplewire.matching.kernels.hashing import word
from triplewire.matching.kernels.machine import Bytes, Floats, Table
from triplewire.matching.kernels.scan.lines import count_line_breaks, finish_rows, scan_lines
from triplewire.matching.kernels.scan.runs import group_runs
from triplewire.matching.scanning.strict_parser import BrokenLine, give_broken_rows_to_events, read_slow_lines
from triplewire.rdf.terms import NamedNode, Term, Triple

_TERM_SPANS = [term + edge for term in (S, P, O) for edge in (START, END)]
# The kernels need no test for the end of the data: it ends in line breaks, and no term has one in it.
_PADDING = b"\n" * 8
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class ScanError(Struct, frozen=True):
    """A broken line and the event that is rejected because of it. Lines and columns count from 1.

    Column 0 speaks of all of the event that begins in the line.
    """

    line: int
    column: int
    message: str
    event: int


class ScanResult(Struct, frozen=True, eq=False):
    """Tables whose columns `kernels.columns` names, and terms on demand.

    >>> result = scan(b'<urn:s> <urn:p> "1" <urn:event> .')
    >>> result.event_iri(0), result.terms(0)[2]
    (<NamedNode value=urn:event>, <Literal value=1 datatype=<NamedNode value=http://www.w3.org/2001/XMLSchema#string>>)
    """

    data: bytes
    """The scanned bytes, padding, and the canonical text of lines that the strict parser read."""
    buffer: Bytes
    """The same, as the array that kernels read and that every span points into."""
    quads: Table
    numbers: Floats
    """The value of each quad's object, where its NUMBER_STATE says that there is one."""
    events: Table
    errors: tuple[ScanError, ...]

    def __len__(self) -> int:
        """How many events there are, rejected ones included."""
        return len(self.events)

    def rejected(self, event: int) -> bool:
        """Whether one of the event's lines is broken, or the event too large: it must not be matched."""
        return bool(self.events[event, EVENT_REJECTED])

    def graph(self, event: int) -> bytes:
        """The event's IRI in angle brackets, as it was written; nothing for a broken line that names none."""
        return self._text(self.events, event, EVENT_GRAPH)

    def event_iri(self, event: int) -> NamedNode:
        """The event's identity. A rejected event may have none that is an IRI."""
        if self.rejected(event):
            raise InvalidTerm(wanted="the IRI of a sound event", found=f"that event {event} is rejected")
        return NamedNode(self.graph(event)[1:-1].decode())

    def rows(self, event: int) -> list[int]:
        """The event's quads, each once: duplicates and broken lines are left out."""
        first, last = self.events[event, [EVENT_FIRST, EVENT_LAST]].tolist()
        return (np.flatnonzero(self.quads[first:last, QUAD_STATE] == FRESH) + first).tolist()  # type: ignore[no-any-return]

    def terms(self, quad: int) -> tuple[Term, Term, Term]:
        """Subject, predicate and object of one row."""
        triple = next(parse(self._triple(quad) + b" .", format=RdfFormat.N_TRIPLES))
        return triple.subject, triple.predicate, triple.object

    def spelled_rows(self, event: int) -> list[tuple[bytes, bytes, bytes]]:
        """The canonical bytes of subject, predicate and object of the event's quads."""
        data = self.data
        spans = self.quads[self.rows(event)][:, _TERM_SPANS].tolist()
        return [(data[a:b], data[c:d], data[e:f]) for a, b, c, d, e, f in spans]

    def triples(self, event: int) -> list[Triple]:
        """The event's triples, in order of appearance."""
        text = b"".join(self._triple(row) + b" .\n" for row in self.rows(event))
        return [quad.triple for quad in parse(text, format=RdfFormat.N_TRIPLES)]

    def nquads(self, event: int) -> bytes:
        """The event as it goes over the wire: canonical, one quad a line, sorted."""
        graph = self.graph(event)
        return b"".join(sorted(self._triple(row) + b" " + graph + b" .\n" for row in self.rows(event)))

    def _triple(self, quad: int) -> bytes:
        return b" ".join(self._text(self.quads, quad, term) for term in (S, P, O))

    def _text(self, table: Table, row: int, term: int) -> bytes:
        return self.data[table[row, term + START] : table[row, term + END]]


def scan(data: bytes | memoryview, seed: int = 0) -> ScanResult:
    """Read N-Quads of one or many events. Nothing that is wrong with the data raises: see `ScanResult.errors`.

    `seed` should be hard to guess where the data comes from strangers, so that nobody can craft colliding terms.
    """
    padded = bytes(data).removeprefix(_BYTE_ORDER_MARK) + _PADDING
    length = len(padded) - len(_PADDING)
    buffer = np.frombuffer(padded, np.uint8)
    lines = count_line_breaks(buffer)
    quads, numbers = np.empty((lines, QUAD_WIDTH), np.int64), np.empty(lines)
    events = np.empty((lines, EVENT_WIDTH), np.int64)
    rows, slow, count = scan_lines(buffer, length, word(seed), quads, numbers, events)
    result = ScanResult(padded, buffer, quads[:rows], numbers[:rows], events[:count], ())
    return _with_slow_lines(result, length, seed, events) if slow else result


def _with_slow_lines(scanned: ScanResult, length: int, seed: int, events: Table) -> ScanResult:
    quads, numbers = scanned.quads, scanned.numbers
    unfinished = _unfinished_row(quads, length)
    data, slow, broken = read_slow_lines(scanned.data, quads)
    data += _PADDING
    buffer = np.frombuffer(data, np.uint8)
    give_broken_rows_to_events(data, unfinished, quads)
    finish_rows(buffer, word(seed), quads, numbers, slow)
    count = group_runs(buffer, quads, len(quads), events)
    errors = _located(broken, quads)
    return ScanResult(data, buffer, quads, numbers, events[:count], errors)


def _unfinished_row(quads: Table, length: int) -> int:
    """The row of a SLOW line that the data ends in, without a line break; -1 if there is none."""
    last = len(quads) - 1
    return last if quads[last, S + END] == length else -1


def _located(broken: list[BrokenLine], quads: Table) -> tuple[ScanError, ...]:
    """Rows are in order of lines, a line has one row at most."""
    rows = np.searchsorted(quads[:, QUAD_LINE], [problem.line for problem in broken])
    events = quads[rows, QUAD_EVENT].tolist()
    return tuple(
        ScanError(problem.line, problem.column, problem.message, event)
        for problem, event in zip(broken, events, strict=True)
    )
