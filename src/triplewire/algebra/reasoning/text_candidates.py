"""Strings enough to stand for all strings, given the strings that tests ask for.

Where a string must begin with some texts, hold some and end with some, the longest beginning, all that it must hold and
the longest ending are woven together with a separator that no test mentions. Whatever the woven string begins with,
holds or ends with, every string that meets the demands does too: so if it does not meet the others, none can.

By order alone, the constants and their immediate successors (`c` and then the least character) stand for all strings.
Where texts and order are asked at once, each part is refuted alone; if that fails, some likely strings are tried, and
the set is not claimed to be complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count

from msgspec import Struct

from triplewire.algebra.constraints import Comparator, ComparisonTest, MembershipTest, TextRelation, TextTest
from triplewire.algebra.reasoning.demands import Demand, Identity
from triplewire.rdf.literals.strings import compatible
from triplewire.rdf.terms import XSD, Literal

_STRING = XSD["string"]
_LEAST = "\0"
_GREATEST = "\U0010ffff"
_ORDERED = frozenset({Comparator.LESS, Comparator.AT_MOST, Comparator.GREATER, Comparator.AT_LEAST})


class Family(Struct, frozen=True):
    """Strings that compare with each other: all without a language, or all with one language and direction."""

    sample: Literal

    def make(self, text: str) -> Literal:
        if not self.sample.language:
            return Literal(text)
        return Literal(text, language=self.sample.language, direction=self.sample.direction)

    def __contains__(self, literal: object) -> bool:
        if not isinstance(literal, Literal) or literal.datatype != self.sample.datatype:
            return False
        return literal.language == self.sample.language and literal.direction == self.sample.direction


def families(constants: Iterable[Literal]) -> list[Family]:
    """Plain strings, the languages of the constants, and one that no constant has."""
    tagged = [constant for constant in constants if constant.language]
    unused = next(tag for n in count() if (tag := f"x-fresh{n}") not in {constant.language for constant in tagged})
    found = [Family(Literal("")), Family(Literal("", language=unused))]
    for constant in tagged:
        if not any(constant in family for family in found):
            found.append(Family(constant))
    return found


def by_order(family: Family, constants: Iterable[Literal]) -> list[Literal]:
    """Strings that stand for all of the family where no test asks for a part of the string."""
    texts = [constant.value for constant in constants if constant in family]
    forms = ("", "0", "1", *(form for text in texts for form in (text, text + _LEAST)))
    return [family.make(text) for text in dict.fromkeys(forms)]


def woven(family: Family, demands: Sequence[Demand], separator: str) -> Literal:
    """The one string that stands for all of the family where no test asks for order, save the constants."""
    wanted = [test for demand in demands if (test := _wanted(demand, family)) is not None]
    parts = {relation: [test.text.value for test in wanted if test.relation is relation] for relation in TextRelation}
    beginning = max(parts[TextRelation.STARTS], key=len, default="")
    ending = max(parts[TextRelation.ENDS], key=len, default="")
    middle = sorted(set(parts[TextRelation.CONTAINS]))
    return family.make(separator.join([beginning, *middle, ending]))


def likely(family: Family, demands: Sequence[Demand], constants: Sequence[Literal]) -> Iterator[Literal]:
    """Strings worth trying where both order and parts are asked for."""
    for separator in (_LEAST, " ", _GREATEST):
        plain = woven(family, demands, separator)
        yield plain
        for text in (constant.value for constant in constants if constant in family):
            yield family.make(f"{text}{separator}{plain.value}")
            yield family.make(f"{text}{plain.value}")


def separator_for(texts: Iterable[str]) -> str:
    """A character that none of the texts holds."""
    used = set().union(*texts)
    # Any text that fits into a query leaves most of Unicode unused; surrogates are no characters.
    return next(chr(code) for code in chain(range(0x2400, 0xD800), range(0xE000, 0x110000)) if chr(code) not in used)


def asks_for_part(demand: Demand, family: Family) -> bool:
    """Whether the demand is about the strings inside a string of the family."""
    return isinstance(demand.test, TextTest) and compatible(family.sample, demand.test.text)


def asks_for_order(demand: Demand, family: Family) -> bool:
    """Whether the demand is about what comes before or after in the family."""
    test = demand.test
    return isinstance(test, ComparisonTest) and test.operator in _ORDERED and test.right in family


def names_one(demand: Demand) -> bool:
    """Whether only a constant of the demand can meet it."""
    test = demand.test
    if isinstance(test, Identity | MembershipTest) or (
        isinstance(test, ComparisonTest) and test.operator is Comparator.EQUAL
    ):
        return demand.outcomes == {True}
    return isinstance(test, ComparisonTest) and test.operator is Comparator.NOT_EQUAL and demand.outcomes == {False}


def _wanted(demand: Demand, family: Family) -> TextTest | None:
    # "Not false" wants it true here: for a compatible string there is no third outcome.
    wants = asks_for_part(demand, family) and True in demand.outcomes and False not in demand.outcomes
    return demand.test if wants and isinstance(demand.test, TextTest) else None
