"""Branches: what one way of matching a pattern requires, and how ways combine.

Branches are a disjunction: an event with a solution satisfies at least one of them. Every step may only weaken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count

from msgspec import Struct

from triplewire.algebra.constraints import (
    ALWAYS,
    ComparisonTest,
    Condition,
    Constraint,
    IntegerTest,
    MembershipTest,
    Operand,
    TaxonomyTest,
    Test,
    TextTest,
    both,
    variables_in,
)
from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import Core
from triplewire.rdf.terms import NamedNode

MOST_BRANCHES = 32


class Branch(Struct, frozen=True):
    """Patterns that must match together. The constraint may mention variables that the patterns do not bind yet."""

    patterns: tuple[Pattern, ...] = ()
    graphs: tuple[Variable | NamedNode, ...] = ()
    constraint: Constraint = ALWAYS

    @property
    def bound(self) -> frozenset[Variable]:
        """The variables that a match certainly binds."""
        return frozenset(Core(self.patterns, ALWAYS, self.graphs).variables)


Branches = tuple[Branch, ...]

NOTHING: Branches = (Branch(),)
IMPOSSIBLE: Branches = ()


class FreshNames:
    """Variables that no query text can write: a label does not begin with a dot."""

    def __init__(self) -> None:
        self._count = count()

    def one(self) -> Variable:
        return Variable(f"_:.{next(self._count)}")


def conjunction(a: Constraint, b: Constraint, most: int) -> Constraint:
    """Both constraints; the first alone where both would be too large."""
    found = both(a, b, most)
    return a if found is None else found


def joined(a: Branches, b: Branches, most: int) -> Branches:
    """Every branch of one side with every branch of the other; where those are too many, the side with fewer."""
    if len(a) * len(b) > MOST_BRANCHES:
        return a if len(a) <= len(b) else b
    return tuple(
        Branch(x.patterns + y.patterns, x.graphs + y.graphs, conjunction(x.constraint, y.constraint, most))
        for x in a
        for y in b
    )


def united(parts: Iterable[Branches]) -> Branches:
    """The branches of all parts; nothing where those are too many."""
    found = tuple(branch for part in parts for branch in part)
    return found if len(found) <= MOST_BRANCHES else NOTHING


def renamed_apart(branch: Branch, kept: Callable[[Variable], bool], fresh: FreshNames) -> Branch:
    """The branch with fresh names for all variables that are not kept."""
    names: dict[Variable, Variable] = {}

    def rename(variable: Variable) -> Variable:
        if kept(variable):
            return variable
        if variable not in names:
            names[variable] = fresh.one()
        return names[variable]

    return Branch(
        tuple(Pattern(*(_renamed_term(term, rename) for term in pattern)) for pattern in branch.patterns),
        tuple(rename(graph) if isinstance(graph, Variable) else graph for graph in branch.graphs),
        Constraint(
            tuple(
                tuple(Condition(_renamed_test(c.test, rename), c.holds) for c in alternative)
                for alternative in branch.constraint.alternatives
            )
        ),
    )


def _renamed_term(term: PatternTerm, rename: Callable[[Variable], Variable]) -> PatternTerm:
    return rename(term) if isinstance(term, Variable) else term


def _renamed_test(test: Test, rename: Callable[[Variable], Variable]) -> Test:
    if isinstance(test, ComparisonTest):
        return ComparisonTest(test.operator, _renamed_operand(test.left, rename), _renamed_operand(test.right, rename))
    if isinstance(test, MembershipTest):
        return MembershipTest(rename(test.variable), test.constants)
    if isinstance(test, TextTest):
        return TextTest(test.relation, rename(test.variable), test.text)
    if isinstance(test, TaxonomyTest):
        return TaxonomyTest(test.relation, rename(test.variable), test.cls)
    return IntegerTest(rename(test.variable))


def _renamed_operand(operand: Operand, rename: Callable[[Variable], Variable]) -> Operand:
    return rename(operand) if isinstance(operand, Variable) else operand


def cores(branches: Branches) -> tuple[Core, ...]:
    """The branches as cores. If one requires nothing, all together require nothing."""
    found = tuple(dict.fromkeys(_core(branch) for branch in branches))
    trivial = Core(())
    return (trivial,) if trivial in found else found


def _core(branch: Branch) -> Core:
    bound = branch.bound
    alternatives = tuple(
        dict.fromkeys(
            tuple(c for c in alternative if bound.issuperset(variables_in(c.test)))
            for alternative in branch.constraint.alternatives
        )
    )
    constraint = ALWAYS if () in alternatives else Constraint(alternatives)
    return Core(tuple(dict.fromkeys(branch.patterns)), constraint, tuple(dict.fromkeys(branch.graphs)))
