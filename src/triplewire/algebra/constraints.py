"""Constraints: what the values of variables must satisfy, in disjunctive normal form.

SPARQL's FILTER has three outcomes: true, false and error. `&&`, `||` and `!` over them form Kleene's logic, in which
De Morgan's laws and distribution hold. So every combination can be written as alternatives of conditions, where a
condition wants a test to come out true (`holds=True`) or false (`holds=False`); an error satisfies neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum

from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.rdf.terms import Literal, NamedNode

Constant = NamedNode | Literal
Operand = Variable | NamedNode | Literal


class Comparator(Enum):
    """SPARQL's comparison operators, by value."""

    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="


class TextRelation(Enum):
    """How a string holds another, by the name of SPARQL's function."""

    CONTAINS = "CONTAINS"
    STARTS = "STRSTARTS"
    ENDS = "STRENDS"


class TaxonomyRelation(Enum):
    """How a node stands to a class, by the local name of the function in `urn:triplewire:`.

    IS_A: a descendant, at any depth: instance, subclass or subproperty, never the class itself.
    ANCESTOR_OF: the other way round.
    DIRECT: a direct instance or child.
    DIRECT_OR_SAME: the graph language's `=`: DIRECT where the taxonomy knows the class, else the very same term.
    """

    IS_A = "isA"
    ANCESTOR_OF = "ancestorOf"
    DIRECT = "directInstanceOf"
    DIRECT_OR_SAME = "directInstanceOrSame"


class ComparisonTest(Struct, frozen=True, gc=False):
    """`left operator right`; at least one side is a variable."""

    operator: Comparator
    left: Operand
    right: Operand


class MembershipTest(Struct, frozen=True, gc=False):
    """`variable IN (constants)`: the disjunction of `variable = constant`, errors included."""

    variable: Variable
    constants: tuple[Constant, ...]


class TextTest(Struct, frozen=True, gc=False):
    """`CONTAINS(variable, text)` and its kin. `text` is a string literal, with or without a language."""

    relation: TextRelation
    variable: Variable
    text: Literal


class TaxonomyTest(Struct, frozen=True, gc=False):
    """`tw:isA(variable, cls)` and its kin. False, never an error, for a literal."""

    relation: TaxonomyRelation
    variable: Variable
    cls: NamedNode


class IntegerTest(Struct, frozen=True, gc=False):
    """The variable is of L's type Z: a well-formed literal of xsd:integer or a type derived from it."""

    variable: Variable


Test = ComparisonTest | MembershipTest | TextTest | TaxonomyTest | IntegerTest


class Condition(Struct, frozen=True, gc=False):
    """A test that must come out true, or (`holds=False`) must come out false."""

    test: Test
    holds: bool = True


class Constraint(Struct, frozen=True, gc=False):
    """Alternatives, each a conjunction of conditions."""

    alternatives: tuple[tuple[Condition, ...], ...]


ALWAYS = Constraint(((),))
NEVER = Constraint(())


def variables_in(test: Test) -> tuple[Variable, ...]:
    """The variables that a test mentions."""
    if isinstance(test, ComparisonTest):
        return tuple(side for side in (test.left, test.right) if isinstance(side, Variable))
    return (test.variable,)


def conjunction(parts: Iterable[Constraint], check: Callable[[int, int], object] | None = None) -> Constraint:
    """All parts, distributed: `(p or q) and r` is `p and r` or `q and r`. Conditions keep their order.

    Alternatives multiply with every part: `check` gets how many they, and their conditions together, are about to be,
    and may raise.
    """
    alternatives: list[list[Condition]] = [[]]
    conditions = 0
    for part in parts:
        conditions *= len(part.alternatives)
        conditions += len(alternatives) * sum(map(len, part.alternatives))
        if check is not None:
            check(len(alternatives) * len(part.alternatives), conditions)
        alternatives = _distributed(alternatives, part)
    return Constraint(tuple(dict.fromkeys(tuple(dict.fromkeys(alternative)) for alternative in alternatives)))


def _distributed(alternatives: list[list[Condition]], part: Constraint) -> list[list[Condition]]:
    if len(part.alternatives) != 1:
        return [[*alternative, *more] for alternative in alternatives for more in part.alternatives]
    # Most parts are one condition: a thousand of them are to take a thousand steps.
    for alternative in alternatives:
        alternative.extend(part.alternatives[0])
    return alternatives


def both(a: Constraint, b: Constraint, most: int) -> Constraint | None:
    """The conjunction of two; None where it would have more than `most` alternatives."""
    if a == ALWAYS or b == ALWAYS:
        return b if a == ALWAYS else a
    return None if len(a.alternatives) * len(b.alternatives) > most else conjunction((a, b))


def either(a: Constraint, b: Constraint) -> Constraint:
    """The disjunction."""
    return Constraint(tuple(dict.fromkeys(a.alternatives + b.alternatives)))
