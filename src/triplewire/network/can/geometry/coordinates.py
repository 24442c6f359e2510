"""Coordinates: the order of terms, and arithmetic on byte strings in that order.

**The order of a term is the byte order of its canonical N-Triples text in UTF-8.** It is defined here and nowhere else:
a term's coordinate is that text, and everything else compares byte strings. UTF-8 keeps the order of code points, so
this is also the lexicographic order of the Unicode strings, as the EventCloud paper has it.

It is not the order of SPARQL's `<`: `"10"` comes before `"9"`, and a string that needs an escape (`"a\\nb"`) is filed
under the escape.
"""

from __future__ import annotations

from triplewire.rdf.terms import DefaultGraph, Literal, Term, Triple

# Digits of a byte string: 0 is its end, which comes before any byte; beyond the last byte there is only the open end.
_OPEN = 257


def coordinate(term: Term | DefaultGraph) -> bytes:
    """A term's coordinate. The default graph has the empty one, which no term has.

    >>> coordinate(Literal("chat", language="fr"))
    b'"chat"@fr'
    """
    return b"" if isinstance(term, DefaultGraph) else _text(term).encode()


def iri_prefix(prefix: str) -> bytes:
    """What the coordinates of all IRIs with this prefix begin with."""
    return b"<" + prefix.encode()


def string_prefix(prefix: str) -> bytes:
    """What the coordinates of all literals begin with whose lexical form has this prefix.

    >>> string_prefix('say "')
    b'"say \\\\"'
    """
    return str(Literal(prefix)).encode()[:-1]


def next_coordinate(value: bytes) -> bytes:
    """The smallest byte string above this one: nothing lies between them."""
    return value + b"\0"


def after_prefix(prefix: bytes) -> bytes | None:
    """The smallest byte string above everything with this prefix; None if there is none.

    >>> after_prefix(b"<http:")
    b'<http;'
    """
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else None


def midpoint(lower: bytes, upper: bytes | None) -> bytes | None:
    """A short byte string strictly between two; None if nothing lies between. An `upper` of None is open.

    >>> midpoint(b"a", b"e"), midpoint(b"a", b"b"), midpoint(b"a", b"a\\0")
    (b'c', b'a\\x7f', None)
    """
    shared = b"" if upper is None else _common_prefix(lower, upper)
    rest, limit = lower[len(shared) :], None if upper is None else upper[len(shared) :]
    first, last = _digit(rest), _OPEN if limit is None else _digit(limit)
    if last - first > 1:
        return shared + _byte((first + last) // 2)
    if limit is not None and len(limit) > 1:
        return shared + limit[:1]
    if first == 0:
        return None
    beyond = midpoint(rest[1:], None)
    return None if beyond is None else shared + rest[:1] + beyond


def separator(below: bytes, above: bytes) -> bytes:
    """The shortest prefix of `above` that is greater than `below`, which must be smaller.

    >>> separator(b"<http://example.org/a1>", b"<http://example.org/b7>")
    b'<http://example.org/b'
    """
    return above[: len(_common_prefix(below, above)) + 1]


def _text(term: Term) -> str:
    if isinstance(term, Triple):
        return f"<<( {_text(term.subject)} {_text(term.predicate)} {_text(term.object)} )>>"
    return str(term)


def _common_prefix(one: bytes, other: bytes) -> bytes:
    length = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:length]


def _digit(value: bytes) -> int:
    return value[0] + 1 if value else 0


def _byte(digit: int) -> bytes:
    return bytes([digit - 1])
