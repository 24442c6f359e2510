"""Short ways to write terms, tests and queries in the algebra's tests."""

from __future__ import annotations

from functools import reduce

from triplewire.algebra.constraints import (
    ALWAYS,
    Comparator,
    ComparisonTest,
    Condition,
    Constraint,
    IntegerTest,
    MembershipTest,
    Operand,
    TaxonomyRelation,
    TaxonomyTest,
    Test,
    TextRelation,
    TextTest,
    conjunction,
    either,
)
from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import Ask, Core, FastQuery, Select
from triplewire.rdf.terms import XSD, Literal, NamedNode, Namespace

EX = Namespace("http://example.org/")
DC = Namespace("http://purl.org/dc/elements/1.1/")
S, X, Y, Z, D = (Variable(name) for name in "SXYZD")
P, Q = EX["p"], EX["q"]


def lit(text: object, datatype: str) -> Literal:
    return Literal(str(text), datatype=XSD[datatype])


def integer(text: object) -> Literal:
    return lit(text, "integer")


def term(value: object) -> Operand:
    if isinstance(value, Variable | NamedNode | Literal):
        return value
    return integer(value) if isinstance(value, int) else Literal(value)


def only(*conditions: Condition | Test) -> Constraint:
    """The conjunction of some conditions."""
    return Constraint((tuple(c if isinstance(c, Condition) else Condition(c) for c in conditions),))


def cmp(left: object, sign: str, right: object) -> Constraint:
    return only(ComparisonTest(Comparator(sign), term(left), term(right)))


def z(variable: Variable, sign: str, value: int) -> Constraint:
    """L's comparison of integers, which types its variable."""
    return conjunction((cmp(variable, sign, value), only(IntegerTest(variable))))


def contains(variable: Variable, text: str) -> Constraint:
    return only(TextTest(TextRelation.CONTAINS, variable, Literal(text)))


def starts(variable: Variable, text: str) -> Constraint:
    return only(TextTest(TextRelation.STARTS, variable, Literal(text)))


def ends(variable: Variable, text: str) -> Constraint:
    return only(TextTest(TextRelation.ENDS, variable, Literal(text)))


def member(variable: Variable, *values: object) -> Constraint:
    return only(MembershipTest(variable, tuple(term(value) for value in values)))  # type: ignore[arg-type]


def is_a(variable: Variable, cls: NamedNode) -> Constraint:
    return only(TaxonomyTest(TaxonomyRelation.IS_A, variable, cls))


def false(constraint: Constraint) -> Constraint:
    """A constraint of one test, wanted false."""
    [[condition]] = constraint.alternatives
    return only(Condition(condition.test, holds=False))


def every(*constraints: Constraint) -> Constraint:
    return conjunction(constraints)


def some(*constraints: Constraint) -> Constraint:
    return reduce(either, constraints)


def t(subject: PatternTerm, predicate: PatternTerm, obj: object) -> Pattern:
    return Pattern(subject, predicate, term(obj))


def select(variables: tuple[Variable, ...], *patterns: Pattern, where: Constraint = ALWAYS) -> FastQuery:
    return FastQuery(Select(variables, distinct=True), Core(patterns, where))


def ask(*patterns: Pattern, where: Constraint = ALWAYS, graphs: tuple[Variable | NamedNode, ...] = ()) -> FastQuery:
    return FastQuery(Ask(), Core(patterns, where, graphs))


__all__ = [name for name in dir() if not name.startswith("_") and name not in ("annotations", "reduce")]
