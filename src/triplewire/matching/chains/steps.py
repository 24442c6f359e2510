"""Steps: the patterns of a core in an order, with what is bound when each is reached and what is asked for later.

The order is that of the text or that of the join. A term that the constraint fixes stands in the patterns as a
constant. A condition belongs to the step that binds the last of its variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import cast

from msgspec import Struct

from triplewire.algebra.constraints import Comparator, ComparisonTest, Condition, Constraint, variables_in
from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import Core
from triplewire.matching.segments.recipes import visiting_order
from triplewire.rdf.terms import XSD, Literal, NamedNode

# For each alternative of a constraint, the conditions that can be decided after a step.
Decidable = tuple[tuple[Condition, ...], ...]


class Step(Struct, frozen=True):
    """One pattern of a chain: `known` is bound before it, `needed` is bound after it and asked for by a later step."""

    pattern: Pattern
    known: frozenset[Variable]
    needed: frozenset[Variable]


def steps_of(patterns: Sequence[Pattern], bound: Iterable[Variable] = ()) -> tuple[Step, ...]:
    """Patterns as steps, in their order. `bound` are the variables that are bound from the start."""
    later = _asked_later(patterns)
    known = frozenset(bound)
    steps = []
    for pattern, asked in zip(patterns, later, strict=True):
        after = known | frozenset(pattern.variables)
        steps.append(Step(pattern, known, after & asked))
        known = after
    return tuple(steps)


def in_join_order(core: Core) -> list[Pattern]:
    """The core's patterns, most constrained first, then those that share a bound variable."""
    return visiting_order(Core(in_text_order(core), graphs=core.graphs))


def in_text_order(core: Core) -> tuple[Pattern, ...]:
    """The core's patterns as they are written, with the terms that its constraint fixes."""
    terms = fixed_terms(core.constraint)
    return tuple(Pattern(*(_fixed(term, terms) for term in pattern)) for pattern in core.patterns)


def decidable_after(
    patterns: Sequence[Pattern], constraint: Constraint, bound: Iterable[Variable] = ()
) -> tuple[Decidable, ...]:
    """For each number of patterns that are matched, from none to all, the conditions that can be decided then."""
    bound_after = dict.fromkeys(bound, 0)
    for depth, pattern in enumerate(patterns, start=1):
        for variable in pattern.variables:
            bound_after.setdefault(variable, depth)
    return tuple(_decidable(constraint, depth, bound_after) for depth in range(len(patterns) + 1))


def fixed_terms(constraint: Constraint) -> dict[Variable, NamedNode | Literal]:
    """The variables that every alternative wants to be one and the same term."""
    alternatives = [frozenset(alternative) for alternative in constraint.alternatives]
    common: frozenset[Condition] = reduce(frozenset.__and__, alternatives) if alternatives else frozenset()
    tests = (condition.test for condition in common if condition.holds)
    equal = (test for test in tests if isinstance(test, ComparisonTest) and test.operator is Comparator.EQUAL)
    sides = [pair for test in equal for pair in ((test.left, test.right), (test.right, test.left))]
    return {
        left: cast("NamedNode | Literal", right)
        for left, right in sides
        if isinstance(left, Variable) and _is_same_term(right)
    }


def _asked_later(patterns: Sequence[Pattern]) -> list[frozenset[Variable]]:
    found = [frozenset[Variable]()]
    for pattern in reversed(patterns[1:]):
        found.append(found[-1].union(pattern.variables))
    return found[::-1] if patterns else []


def _decidable(constraint: Constraint, depth: int, bound_after: Mapping[Variable, int]) -> Decidable:
    return tuple(
        tuple(c for c in alternative if _decided_after(c, bound_after) == depth)
        for alternative in constraint.alternatives
    )


def _decided_after(condition: Condition, bound_after: Mapping[Variable, int]) -> int:
    # A variable that no pattern binds makes the test an error, which is decided from the start.
    return max((bound_after.get(variable, 0) for variable in variables_in(condition.test)), default=0)


def _fixed(term: PatternTerm, terms: Mapping[Variable, NamedNode | Literal]) -> PatternTerm:
    return terms.get(term, term) if isinstance(term, Variable) else term


def _is_same_term(operand: object) -> bool:
    """Whether being equal to this constant means being the very same term: IRIs and plain strings, no numbers."""
    return isinstance(operand, NamedNode) or (isinstance(operand, Literal) and operand.datatype == XSD["string"])
