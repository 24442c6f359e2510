"""Where the IRIs and strings lie that compare in a certain way with a text.

The order of the space is that of N-Triples texts, which is nearly that of the strings in them, but not quite. A string
ends with a quote, which is above the space and the exclamation mark; characters that are escaped (quotes, controls,
DEL) are filed under the backslash. An IRI ends with `>`, which is above digits, `/` and the like. So a range is one
large interval and a few small ones for those exceptions; it is cut short at the first character that is one itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from triplewire.algebra.constraints import Comparator
from triplewire.network.can.geometry.coordinates import after_prefix, coordinate, iri_prefix, string_prefix
from triplewire.network.can.geometry.space import Interval, exactly, starting_with
from triplewire.network.queries.bounds.intervals import Intervals, union_of
from triplewire.network.queries.bounds.spellings import LITERALS
from triplewire.rdf.terms import NamedNode

# Longer texts are cut: each character may cost a small interval of its own.
_LONGEST = 48
_UPWARD = (Comparator.GREATER, Comparator.AT_LEAST)
_FIRST_REGULAR, _BACKSLASH, _DELETE, _END_OF_IRI = "#", "\\", "\x7f", ">"
# What texts begin with that Oxigraph makes of a value: numbers, dates, durations, booleans, INF and NaN.
_CANONICAL_STARTS = frozenset("0123456789+-.PINtf")


def string_range(operator: Comparator, text: str) -> Intervals:
    """Where the strings lie, of whatever language, that compare so with a text."""
    kept = _regular(text[:_LONGEST])
    if operator in _UPWARD:
        return union_of([Interval(string_prefix(kept), LITERALS.parts[0].upper), *_escapes_above(kept)])
    return union_of([Interval(b'"', _end(operator, text, kept)), *_escapes_below(kept)])


def iri_range(operator: Comparator, text: str) -> Intervals:
    """Where the IRIs lie whose text compares so with another."""
    kept = text[:_LONGEST]
    if operator in _UPWARD:
        return union_of([Interval(iri_prefix(kept), b"=")])
    return union_of([Interval(b"<", after_prefix(iri_prefix(kept))), *_iris_before(kept)])


def string_starts(prefix: str) -> Intervals:
    """Where the literals lie whose lexical form has a prefix."""
    return union_of([starting_with(string_prefix(prefix))])


def text_starts(prefix: str) -> Intervals:
    """Where the IRIs and literals lie of which STR has a prefix. A value may be spelled in many ways."""
    is_maybe_value = not prefix or prefix[0] in _CANONICAL_STARTS
    literals = LITERALS if is_maybe_value else string_starts(prefix)
    return union_of([starting_with(iri_prefix(prefix))]) | literals


def _end(operator: Comparator, text: str, kept: str) -> bytes | None:
    """Where the strings end that are below a text, or at most it."""
    prefix = string_prefix(kept)
    if kept != text:
        return after_prefix(prefix)
    return prefix if operator is Comparator.LESS else after_prefix(prefix + b'"')


def _regular(text: str) -> str:
    """The text up to the first character whose place is not its own."""
    is_odd = [char < _FIRST_REGULAR or char in (_BACKSLASH, _DELETE) or len(string_prefix(char)) > 5 for char in text]
    return text[: is_odd.index(True)] if True in is_odd else text


def _escapes_above(text: str) -> Iterator[Interval]:
    """Strings that are above a text because of a character that is filed below it: DEL and noncharacters."""
    for at, char in enumerate(text):
        if char > _BACKSLASH:
            yield starting_with(string_prefix(text[:at]) + b"\\u")


def _escapes_below(text: str) -> Iterator[Interval]:
    """Strings that are below a text because of a character that is filed above it: quotes and controls."""
    for at, char in enumerate(text):
        if char < _BACKSLASH:
            yield starting_with(string_prefix(text[:at]) + b"\\")


def _iris_before(text: str) -> Iterator[Interval]:
    """IRIs that a text begins with, and that are filed above it because they end."""
    for at, char in enumerate(text):
        if char < _END_OF_IRI and ":" in text[:at]:
            yield exactly(coordinate(NamedNode(text[:at])))
