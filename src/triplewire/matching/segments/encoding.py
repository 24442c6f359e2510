"""A core becomes words: see `kernels.layout` for what they mean.

Which word stands where depends on the core's outline only, and is kept as a recipe (`recipes`). Constants and texts are
numbered here, and values become rows.
"""

from __future__ import annotations

import struct
from array import array
from decimal import Context, Decimal

from triplewire.algebra.constraints import (
    Constant,
)
from triplewire.algebra.patterns import Variable
from triplewire.algebra.queries import Core
from triplewire.matching.kernels import layout
from triplewire.matching.kernels.layout import ROW
from triplewire.matching.kernels.scan.datatypes import DATE, DATE_TIME
from triplewire.matching.kernels.search.conditions import OPERAND_ROUNDED, OPERAND_SINGLE
from triplewire.matching.scanning.strict_parser import spelling
from triplewire.matching.segments.outlines import Outline, outline_of, with_places
from triplewire.matching.segments.recipes import EXACT, Recipe, Row, recipe_of
from triplewire.rdf.literals.dates import SECOND, Moment
from triplewire.rdf.literals.numbers import Number, Rank
from triplewire.rdf.literals.values import Kind, value_of
from triplewire.rdf.terms import XSD, NamedNode, Term

_DATATYPES = {Kind.DATE_TIME: DATE_TIME, Kind.DATE: DATE}
_INTEGER = XSD["integer"]
_HALVES = struct.Struct("<ii")
_DOUBLE = struct.Struct("<d")
_ALL_DIGITS = Context(prec=60)
_SHORT = 15  # digits that float64 holds; longer decimals are rounded in more than one step


# Recipes belong to no encoder, since constants are not in them: a draft of one subscription finds those of before.
_MOST_RECIPES = 4_096
_recipes: dict[tuple[object, ...], Recipe] = {}


class Encoder:
    """Numbers constants and texts as it meets them, and turns cores into words that use those numbers."""

    def __init__(self) -> None:
        self._constants: dict[Term, int] = {}
        self._texts: dict[str, int] = {}

    @property
    def constants(self) -> list[bytes]:
        """The constants' canonical bytes, by number."""
        return [spelling(term).encode() for term in self._constants]

    @property
    def texts(self) -> list[bytes]:
        """The texts' bytes, by number."""
        return [text.encode() for text in self._texts]

    def encode(self, core: Core) -> tuple[bytes, tuple[Variable, ...]]:
        """The core's words as bytes, and its variables in the order of their indices."""
        outline = outline_of(core)
        recipe = _recipes.get(outline.key) or self._learned(outline, core)
        operands, words, numbers = outline.operands, recipe.words[:], self._constants
        for place, operand in recipe.constants:
            words[place] = numbers.setdefault(operands[operand], len(numbers))
        for place, operand, make in recipe.rows:
            for row in make(self, operands[operand]):
                words[place : place + ROW] = array("i", row)
                place += ROW
        return words.tobytes(), recipe.variables

    def constant(self, term: Term) -> int:
        """The number of a constant."""
        return self._constants.setdefault(term, len(self._constants))

    def text(self, text: str) -> int:
        """The number of a text."""
        return self._texts.setdefault(text, len(self._texts))

    def _learned(self, outline: Outline, core: Core) -> Recipe:
        if len(_recipes) >= _MOST_RECIPES:
            _recipes.clear()
        _recipes[outline.key] = recipe = recipe_of(with_places(core), outline.operands, self)
        return recipe

    def against(self, constant: Constant, comparator: int, index: int) -> Row:
        """A variable compared with a constant, in the one form that the kernel knows, or EXACT."""
        if isinstance(constant, NamedNode):
            if comparator > layout.NOT_EQUAL:
                return EXACT
            return layout.TERM, index, self.constant(constant), 0, comparator | layout.TERM_IS_IRI
        if (short := _short_integer(constant)) is not None:
            return layout.NUMBER, index, *_HALVES.unpack(_DOUBLE.pack(short)), comparator
        value = value_of(constant)
        if value.kind is Kind.STRING and comparator <= layout.NOT_EQUAL:
            return layout.TERM, index, self.constant(constant), 0, comparator
        if isinstance(value.content, Number) and _is_nearest(value.content):
            low, high, flags = _number_words(value.content)
            return layout.NUMBER, index, low, high, comparator | flags << 8
        if value.kind in _DATATYPES and isinstance(value.content, Moment):
            return _moment_row(value.kind, value.content, comparator, index)
        return EXACT


def _short_integer(constant: Constant) -> float | None:
    """The float64 that an integer of few digits is, without asking for its value: most constants of ranges are such."""
    digits = constant.value
    if len(digits) <= _SHORT and digits.isascii() and digits.isdigit() and constant.datatype == _INTEGER:  # type: ignore[union-attr]
        return float(digits)
    return None


def _moment_row(kind: Kind, moment: Moment, comparator: int, index: int) -> Row:
    seconds, rest = divmod(moment.instant, SECOND)
    if rest:
        return EXACT
    low, high = _HALVES.unpack(_DOUBLE.pack(float(seconds)))
    zoned = layout.MOMENT_IS_ZONED if moment.zoned else 0
    return layout.MOMENT, index, low, high, comparator | zoned | _DATATYPES[kind] << 12


def _is_nearest(number: Number) -> bool:
    """Whether the value becomes the nearest float64 when it is compared with one: not NaN, nor a long decimal."""
    if isinstance(number.value, Decimal):
        return len(number.value.normalize(_ALL_DIGITS).as_tuple().digits) <= _SHORT
    return number.value == number.value


def _number_words(number: Number) -> tuple[int, int, int]:
    """The halves of the nearest float64, and what to beware of when comparing with it."""
    nearest = float(number.value)
    flags = 0 if nearest == number.value else OPERAND_ROUNDED
    if number.rank is Rank.FLOAT:
        flags |= OPERAND_SINGLE
    low, high = _HALVES.unpack(_DOUBLE.pack(nearest))
    return low, high, flags
