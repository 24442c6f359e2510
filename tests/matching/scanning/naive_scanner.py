"""Naive twins of the scanner's kernels: plain Python, pyoxigraph for every line, exact arithmetic for every number."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from fractions import Fraction
from itertools import groupby

import numpy as np
from msgspec import Struct
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple, parse

from triplewire.matching.kernels.columns import BLANK, DIRECTED, IRI, LANGUAGE, STRING, TRIPLE, TYPED
from triplewire.rdf.terms import XSD, BlankNode, Term

_LINE_BREAK = re.compile(rb"\r\n|\n|\r")
_WORD = 1 << 64
_SCALED = re.compile(r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(?:[eE]([+-]?[0-9]+))?", re.ASCII)
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)", re.ASCII)


class NaiveLine(Struct, frozen=True):
    number: int
    text: bytes
    quad: Quad | None
    unfinished: bool = False

    @property
    def graph(self) -> bytes | None:
        """The graph of a sound line; of a broken one, what stands in angle brackets before its last dot."""
        if self.quad is not None:
            return str(self.quad.graph_name).encode()
        named = re.search(rb'(<[^<>"{}|^`\\\x00-\x20]*>)[ \t]*\.[ \t]*(?:#.*)?$', self.text)
        return named.group(1) if named else None


class NaiveEvent(Struct, frozen=True):
    graph: bytes
    triples: frozenset[Triple]
    broken: tuple[int, ...]


def naive_lines(data: bytes) -> list[NaiveLine]:
    # Editors put a byte order mark before a document; pyoxigraph takes it for a part of the first term.
    texts = _LINE_BREAK.split(data.removeprefix(BOM_UTF8))
    lines = []
    for number, text in enumerate(texts, 1):
        if text.lstrip(b" \t") and not text.lstrip(b" \t").startswith(b"#"):
            lines.append(NaiveLine(number, text, naive_quad(text), number == len(texts)))
    return lines


def naive_quad(text: bytes) -> Quad | None:
    try:
        quads = list(parse(text, format=RdfFormat.N_QUADS))
    except SyntaxError:
        return None
    return quads[0] if quads and isinstance(quads[0].graph_name, NamedNode) else None


def naive_events(data: bytes) -> list[NaiveEvent]:
    lines = naive_lines(data)
    keyed = [(_owner(lines, index), line) for index, line in enumerate(lines)]
    return [_event(graph, [line for _, line in run]) for graph, run in groupby(keyed, key=lambda pair: pair[0])]


def _owner(lines: list[NaiveLine], index: int) -> bytes | int | None:
    """A graph, or for a line that is nobody's, something that no other line has."""
    line = lines[index]
    if line.quad is not None:
        return line.graph
    before = next((other.graph for other in reversed(lines[:index]) if other.quad is not None), None)
    after = next((other.graph for other in lines[index:] if other.quad is not None), None)
    if before is not None and before == after:
        return before
    if line.graph is not None:
        return line.graph
    return before if line.unfinished and before is not None else index


def _event(graph: bytes | int | None, lines: list[NaiveLine]) -> NaiveEvent:
    return NaiveEvent(
        graph if isinstance(graph, bytes) else b"",
        frozenset(line.quad.triple for line in lines if line.quad is not None),
        tuple(line.number for line in lines if line.quad is None),
    )


def naive_hash(term: bytes, seed: int) -> int:
    """The hash as its module describes it, on unbounded integers."""
    golden, root_2, root_3 = 0x9E3779B97F4A7C15, 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B

    def fold(a: int, b: int) -> int:
        product = (a % _WORD) * (b % _WORD)
        return product % _WORD ^ product // _WORD

    def word(piece: bytes) -> int:
        return int.from_bytes(piece, "little")

    secret = fold(seed ^ root_2, golden)
    state = secret ^ len(term)
    whole = len(term) // 16 * 16
    for start in range(0, whole, 16):
        state = fold(word(term[start : start + 8]) ^ secret, word(term[start + 8 : start + 16]) ^ state)
    rest = term[whole:]
    if len(rest) >= 8:
        state = fold(word(rest[:8]) ^ secret, word(term[-8:]) ^ state)
    elif rest:
        tail = word(term[-8:]) if len(term) >= 8 else int.from_bytes(term, "big")
        state = fold(tail ^ secret, state ^ root_3)
    state = fold(state ^ root_2, secret ^ golden)
    return state - _WORD if state >> 63 else state


def naive_kind(term: Term) -> int:
    match term:
        case NamedNode():
            return IRI
        case BlankNode():
            return BLANK
        case Triple():
            return TRIPLE
        case Literal(direction=direction) if direction is not None:
            return DIRECTED
        case Literal(language=language) if language is not None:
            return LANGUAGE
        case _:
            return STRING if term.datatype == XSD["string"] else TYPED


def naive_integer(lexical: str) -> Fraction | None:
    return Fraction(int(lexical)) if _INTEGER.fullmatch(lexical) else None


def naive_decimal(lexical: str) -> Fraction | None:
    return Fraction(lexical.removesuffix(".")) if _DECIMAL.fullmatch(lexical) else None


def naive_double(lexical: str) -> float | None:
    if lexical in ("INF", "-INF", "NaN"):
        return float(lexical)
    return float(lexical) if _SCALED.fullmatch(lexical) else None


def naive_float(lexical: str) -> float | None:
    """Round the exact value to single precision once, to even."""
    double = naive_double(lexical)
    if double is None or not np.isfinite(double):
        return double
    number, exponent = _SCALED.fullmatch(lexical).groups()
    exact = Fraction(number.removesuffix(".")) * Fraction(10) ** int(exponent or 0)
    with np.errstate(over="ignore"):
        near = np.float32(double)
        candidates = [np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf))]
    finite = [c for c in candidates if np.isfinite(c)]
    best = min(finite, key=lambda c: (abs(Fraction(float(c)) - exact), int(c.view(np.uint32)) & 1))
    return float(best)
