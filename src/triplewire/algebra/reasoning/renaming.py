"""Tests and patterns carried over to the terms of another query.

A test speaks of variables, so a constant that takes a variable's place is given a variable of its own, whose domain
is that one term.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from triplewire.algebra.constraints import ComparisonTest, Operand
from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.reasoning.demands import AnyTest, Demand, Ground, oriented
from triplewire.rdf.terms import Literal, NamedNode

Renaming = Callable[[Variable], PatternTerm]

# No query can name a variable like this: names hold no spaces.
_CONSTANT = "constant "


def renamed_pattern(pattern: Pattern, renaming: Renaming) -> Pattern:
    """The pattern with its variables replaced."""
    return Pattern(*(renaming(term) if isinstance(term, Variable) else term for term in pattern))


def renamed_demand(demand: Demand, renaming: Renaming, constants: dict[Variable, Ground]) -> Demand:
    """The demand with its variables replaced; `constants` learns which variables stand for constants."""

    def variable(old: Variable) -> Variable:
        return stand_in(renaming(old), constants)

    test = demand.test
    if isinstance(test, ComparisonTest):
        return Demand(_comparison(test, renaming, constants), demand.outcomes)
    renamed: AnyTest = replace(test, variable=variable(test.variable))
    return Demand(renamed, demand.outcomes)


def stand_in(term: PatternTerm, constants: dict[Variable, Ground]) -> Variable:
    """A variable for the term: itself, or the one that stands for this constant."""
    if isinstance(term, Variable):
        return term
    name = Variable(f"{_CONSTANT}{term}")
    constants[name] = term
    return name


def _comparison(test: ComparisonTest, renaming: Renaming, constants: dict[Variable, Ground]) -> ComparisonTest:
    left, right = _operand(test.left, renaming, constants), _operand(test.right, renaming, constants)
    if not isinstance(left, Variable) and not isinstance(right, Variable):
        left = stand_in(left, constants)
    return oriented(left, test.operator, right)


def _operand(side: Operand, renaming: Renaming, constants: dict[Variable, Ground]) -> Operand:
    if not isinstance(side, Variable):
        return side
    term = renaming(side)
    # A comparison holds no triple term: its stand-in does.
    return term if isinstance(term, Variable | NamedNode | Literal) else stand_in(term, constants)
