"""Texts that differ in their constants only are parsed once; the others are the first with other constants put in.

A text is split at what looks like a constant: an IRI, a string between double quotes, a number. What lies between is
its frame. A frame that is met again becomes a template: its text is parsed with a mark in place of each constant, and
the marks are found again in the query. From then on a text of that frame costs a split and the terms of its constants.

Whatever is not certain is left to the parser, so that queries and errors are the parser's own:

- a frame is given up if a mark is not one whole token, or is not in the query as a term (a prefix's namespace, the name
  of a function), or if the query is not of the fast lane, where constants can change more than terms;
- constants that are equal, or equal to a term that stays, may make two conditions one. So which of them are equal is
  part of the frame, and a text in which they are equal in another way goes to the parser;
- what is no term, such as a relative IRI, goes to the parser for its error.

That each constant is a token in every text of the frame, because it was in one, follows from how a constant is cut: a
token before it cannot reach into it, since none looks further than a character that no constant may hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from operator import itemgetter
from typing import Any

from msgspec import Struct

from triplewire.algebra.queries import FastQuery, Query
from triplewire.errors import InputError
from triplewire.languages.sparql.syntax.terms import BOOLEAN, number_type
from triplewire.languages.sparql.syntax.tokens import IRI_REST, tokenize
from triplewire.languages.trees import walk
from triplewire.rdf.terms import Literal, NamedNode

Constant = NamedNode | Literal
_Reader = Callable[[str], Constant]

# The character before a number is cut with it, so that the first one says what a constant is. No namespace of a PREFIX,
# datatype or function is cut: they are part of the frame. Each alternative begins with one character of its own, which
# lets the search leap to the next place where a constant may begin.
_BEFORE_NUMBER = " (,=>+-"
_NUMBER = r"(?=[0-9])[0-9]+(?:\.[0-9]+)?(?=[ \t\r\n),;])"
_CONSTANT = re.compile(
    rf'(<(?<!\^<)(?<!: <)(?<!:<){IRI_REST}(?!\()|"[^"\\\r\n]+"(?!")|'
    + "|".join(re.escape(before) + _NUMBER for before in _BEFORE_NUMBER)
    + ")"
)
_FIRST = itemgetter(0)
_UNSIGNED = frozenset(" (,=>")
_BREAK = "\0"

# Longer texts and more frames are rare, and what is kept must stay small whatever is subscribed.
_LONGEST = 4_096
_MOST_FRAMES = 1_024


class _Template(Struct, frozen=True):
    """The query of a frame: which constant becomes a term, and how, for each term that its constants make.

    `fixed` are the terms that it has in every text.
    """

    slots: tuple[tuple[int, _Reader], ...]
    fixed: frozenset[Constant]
    make: Callable[[list[Constant]], FastQuery]

    def query(self, constants: list[str]) -> FastQuery | None:
        """The query with these constants; None where that is not certain."""
        try:
            terms = [read(constants[number]) for number, read in self.slots]
        except ValueError:
            return None
        if len(set(terms)) < len(terms) or not self.fixed.isdisjoint(terms):
            return None
        return self.make(terms)


class Templates:
    """A parser that remembers frames. `parse` is the parser behind it."""

    def __init__(self, parse: Callable[[str], Query], longest: int) -> None:
        self._parse = parse
        self._longest = min(longest, _LONGEST)
        # None for a frame that was met once, or that was given up.
        self._frames: dict[str, _Template | None] = {}
        self._given_up: set[str] = set()

    def parse(self, text: str) -> Query:
        """What the parser makes of the text, or the error that it raises."""
        if len(text) > self._longest:
            return self._parse(text)
        pieces = _CONSTANT.split(text)
        constants = pieces[1::2]
        different = list(dict.fromkeys(constants))
        frame = _frame(pieces[::2], constants, different)
        template = self._frames.get(frame)
        found = None if template is None else template.query(different)
        return self._parsed(text, frame, pieces, different) if found is None else found

    def _parsed(self, text: str, frame: str, pieces: list[str], constants: list[str]) -> Query:
        query = self._parse(text)
        if frame in self._given_up or self._frames.get(frame) is not None:
            return query
        if frame not in self._frames:
            self._remember(frame)
        else:
            self._frames[frame] = template = self._learned(pieces, constants, query)
            if template is None:
                self._given_up.add(frame)
        return query

    def _remember(self, frame: str) -> None:
        if len(self._frames) >= _MOST_FRAMES:
            self._frames.clear()
            self._given_up.clear()
        self._frames[frame] = None

    def _learned(self, pieces: list[str], constants: list[str], query: Query) -> _Template | None:
        """The template of a frame, if it makes of this text's constants what the parser has made of the text."""
        if not isinstance(query, FastQuery) or not constants or any(map(_is_unsafe, pieces[::2])):
            return None
        marks = _marks(constants, "".join(pieces))
        marked = dict(zip(constants, marks, strict=True))
        text = "".join(marked.get(piece, piece) if at % 2 else piece for at, piece in enumerate(pieces))
        tokens = tokenize(text)
        if any(tokens.count(_token(mark)) != pieces.count(constant) for constant, mark in marked.items()):
            return None
        try:
            template = _template(self._parse(text), marks)
        except InputError:
            return None
        return template if template is not None and template.query(constants) == query else None


def _frame(fixed: list[str], constants: list[str], different: list[str]) -> str:
    """What texts must have in common: all but the constants, of which kind these are, and which of them are equal."""
    frame = _BREAK.join(fixed) + _BREAK + "".join(map(_FIRST, constants))
    if len(different) == len(constants):
        return frame
    return frame + _BREAK + " ".join([str(different.index(constant)) for constant in constants])


def _is_unsafe(piece: str) -> bool:
    """An escape may stand for any character, and a break would make two frames look alike."""
    return "\\" in piece or _BREAK in piece


def _marks(constants: Iterable[str], text: str) -> list[str]:
    """A constant of the same kind for each, such as nobody writes, and which this text does not hold."""
    numbers = (f"{number}" for number in count(7_000_000_000_000_001) if f"{number}" not in text)
    return [_mark(constant, number) for constant, number in zip(constants, numbers, strict=False)]


def _mark(constant: str, number: str) -> str:
    if constant[0] == "<":
        return f"<urn:triplewire:mark:{number}>"
    return f'"{number}"' if constant[0] == '"' else constant[0] + number


def _token(constant: str) -> str:
    return constant[1:] if constant[0] in _UNSIGNED else constant


def _template(query: Query, marks: list[str]) -> _Template | None:
    if not isinstance(query, FastQuery):
        return None
    terms = dict.fromkeys(node for node in walk(query) if isinstance(node, NamedNode | Literal))
    number_of = {_content(mark): number for number, mark in enumerate(marks)}
    marked = {term: number_of[term.value] for term in terms if term.value in number_of}
    if len(set(marked.values())) < len(marks) or any(_decides(term) for term in marked):
        return None
    slots = tuple((number, _reader(term, marks[number])) for term, number in marked.items())
    make = _maker(query, {term: place for place, term in enumerate(marked)})
    assert make is not None, "there are marks in the query"
    return _Template(slots, frozenset(term for term in terms if term not in marked), make)


def _content(mark: str) -> str:
    return mark[1:-1] if mark[0] in '<"' else _token(mark)


def _decides(term: Constant) -> bool:
    """Whether the value of a term matters to the query's form: `FILTER("true"^^xsd:boolean)` is no condition."""
    return isinstance(term, Literal) and term.datatype == BOOLEAN


def _reader(term: Constant, mark: str) -> _Reader:
    """How a constant becomes a term like the one that its mark became."""
    if isinstance(term, NamedNode):
        return lambda constant: NamedNode(constant[1:-1])
    if mark[0] != '"':
        return lambda constant: Literal(token := _token(constant), datatype=number_type(token))
    if term.language is not None:
        language, direction = term.language, getattr(term, "direction", None)
        return lambda constant: Literal(constant[1:-1], language=language, direction=direction)
    datatype = term.datatype
    return lambda constant: Literal(constant[1:-1], datatype=datatype)


def _maker(node: Any, places: dict[Constant, int]) -> Callable[[list[Constant]], Any] | None:
    """The function that makes a tree like this one with other terms in their places; None if it has none of them."""
    if isinstance(node, NamedNode | Literal):
        return itemgetter(places[node]) if node in places else None
    parts = list(_parts(node))
    makers = [_maker(part, places) for part in parts]
    if not any(makers):
        return None
    kind: Callable[..., Any] = type(node) if isinstance(node, Struct) else _as_tuple
    return _joined(kind, [maker or _always(part) for maker, part in zip(makers, parts, strict=True)])


def _parts(node: object) -> Iterator[object]:
    if isinstance(node, tuple):
        yield from node
    elif isinstance(node, Struct):
        yield from (getattr(node, field) for field in node.__struct_fields__)


def _as_tuple(*parts: object) -> tuple[object, ...]:
    return parts


def _always(part: object) -> Callable[[list[Constant]], object]:
    return lambda terms: part


def _joined(kind: Callable[..., Any], makers: list[Callable[[list[Constant]], Any]]) -> Callable[[list[Constant]], Any]:
    """`kind` of what the makers make; most have few parts, and a loop over them takes longer than they do."""
    if len(makers) == 1:
        [only] = makers
        return lambda terms: kind(only(terms))
    if len(makers) == 2:
        first, second = makers
        return lambda terms: kind(first(terms), second(terms))
    if len(makers) == 3:
        first, second, third = makers
        return lambda terms: kind(first(terms), second(terms), third(terms))
    return lambda terms: kind(*[make(terms) for make in makers])
