"""What a general query requires of an event, so that it can be indexed like any other.

Sound: an event that satisfies none of the cores gives no solution. Joins multiply branches, UNION adds them; OPTIONAL,
MINUS, BIND and NOT EXISTS require nothing; FILTERs are kept as far as the algebra has tests for them and the patterns
bind their variables; EXISTS requires its pattern, with the variables that are its own renamed apart, and so does a
sub-select. An aggregate without GROUP BY has a row for no solution too, and requires nothing. LIMIT 0 never matches.
"""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.algebra.constraints import ALWAYS, NEVER, Condition, Constraint, MembershipTest, variables_in
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Core
from triplewire.languages.sparql.lowering.branches import (
    IMPOSSIBLE,
    NOTHING,
    Branch,
    Branches,
    FreshNames,
    conjunction,
    cores,
    joined,
    renamed_apart,
    united,
)
from triplewire.languages.sparql.lowering.conditions import ReadLeaf, leaf_condition, normal_form
from triplewire.languages.sparql.lowering.expression_tests import test_of
from triplewire.languages.sparql.syntax.ast import (
    Aggregate,
    Alternative,
    And,
    Element,
    Exists,
    Expression,
    Filter,
    Graph,
    Group,
    Inverse,
    NegatedSet,
    OneOrMore,
    Path,
    Query,
    SelectQuery,
    Sequence,
    SubSelect,
    Term,
    TriplePattern,
    TriplesBlock,
    Union,
    Values,
    ZeroOrMore,
    ZeroOrOne,
)
from triplewire.languages.sparql.syntax.scope import projected
from triplewire.languages.trees import walk
from triplewire.rdf.literals.values import equal
from triplewire.rdf.terms import NamedNode


def requirements(query: Query, most: int) -> tuple[Core, ...]:
    """The cores of which an event must satisfy one. `most` bounds the alternatives of a constraint."""
    return cores(_Reader(most).query(query))


class _Reader:
    """Reads requirements off a tree, with one supply of fresh names."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._fresh = FreshNames()

    def query(self, query: Query) -> Branches:
        if query.modifiers.limit == 0:
            return IMPOSSIBLE
        if _aggregates(query) and not query.modifiers.group_by:
            return NOTHING
        branches = self._group(query.where)
        if query.values is None:
            return branches
        if query.modifiers.group_by:
            # VALUES joins the groups, which may not have the variable at all.
            return branches if query.values.rows else IMPOSSIBLE
        return joined(branches, _values(query.values), self._most)

    def _group(self, group: Group) -> Branches:
        branches = NOTHING
        conditions: list[Expression] = []
        for element in group.elements:
            if isinstance(element, Filter):
                conditions.extend(_conjuncts(element.condition))
            else:
                branches = joined(branches, self._element(element), self._most)
        for condition in conditions:
            branches = united([self._filtered(branch, condition) for branch in branches])
        return branches

    def _element(self, element: Element) -> Branches:
        if isinstance(element, TriplesBlock):
            return self._block(element.patterns)
        if isinstance(element, Group):
            return self._group(element)
        if isinstance(element, Union):
            return united([self._group(branch) for branch in element.branches])
        if isinstance(element, Graph):
            return tuple(_within(element.name, branch) for branch in self._group(element.group))
        if isinstance(element, Values):
            return _values(element)
        if isinstance(element, SubSelect):
            return self._subselect(element.query)
        return NOTHING

    def _block(self, patterns: Iterable[TriplePattern]) -> Branches:
        simple: list[Pattern] = []
        branches = NOTHING
        for pattern in patterns:
            predicate = pattern.predicate
            if isinstance(predicate, Variable | NamedNode):
                simple.append(Pattern(pattern.subject, predicate, pattern.object))
            else:
                required = path_branches(predicate, pattern.subject, pattern.object, self._fresh, self._most)
                branches = joined(branches, required, self._most)
        return joined((Branch(tuple(simple)),), branches, self._most)

    def _subselect(self, query: SelectQuery) -> Branches:
        names = frozenset(projected(query))
        return tuple(renamed_apart(branch, names.__contains__, self._fresh) for branch in self.query(query))

    def _filtered(self, branch: Branch, condition: Expression) -> Branches:
        if isinstance(condition, Exists):
            return self._existing(branch, condition.group)
        required = normal_form(condition, _weakened(branch.bound), self._most)
        if required is None or () in required.alternatives:
            return (branch,)
        if required == NEVER:
            return IMPOSSIBLE
        return (Branch(branch.patterns, branch.graphs, conjunction(branch.constraint, required, self._most)),)

    def _existing(self, branch: Branch, group: Group) -> Branches:
        kept = branch.bound.__contains__
        inner = tuple(renamed_apart(found, kept, self._fresh) for found in self._group(group))
        return joined((branch,), inner, self._most)


def _aggregates(query: Query) -> bool:
    projection = query.projection if isinstance(query, SelectQuery) else None
    parts = (projection, query.modifiers.having, query.modifiers.order_by)
    return any(isinstance(node, Aggregate) for node in walk(parts))


def _conjuncts(condition: Expression) -> tuple[Expression, ...]:
    if isinstance(condition, And) and test_of(condition) is None:
        return tuple(part for operand in condition.operands for part in _conjuncts(operand))
    return (condition,)


def _within(name: Variable | NamedNode, branch: Branch) -> Branch:
    return Branch(branch.patterns, (name, *branch.graphs), branch.constraint)


def _weakened(bound: frozenset[Variable]) -> ReadLeaf:
    """A leaf that is no test, or whose variables may be unbound, requires nothing."""

    def read(expression: Expression, holds: bool) -> Constraint:
        test = test_of(expression)
        if test is None or not bound.issuperset(variables_in(test)):
            return ALWAYS
        return leaf_condition(test, holds)

    return read


def _values(values: Values) -> Branches:
    """Joins by term, where the algebra's membership is by value, which is weaker: NaN alone does not equal itself."""
    if not values.rows:
        return IMPOSSIBLE
    conditions: list[Condition] = []
    for column, name in enumerate(values.variables):
        terms = tuple(dict.fromkeys(term for row in values.rows if (term := row[column]) is not None))
        if all(row[column] is not None for row in values.rows) and all(equal(term, term) for term in terms):
            conditions.append(Condition(MembershipTest(name, terms)))
    return (Branch(constraint=Constraint((tuple(conditions),))),)


# Property paths


def path_branches(path: Path, start: Term, end: Term, fresh: FreshNames, most: int) -> Branches:
    """The branches for a path from `start` to `end`; nodes on the way get fresh names."""
    if isinstance(path, Inverse):
        return path_branches(path.path, end, start, fresh, most)
    if isinstance(path, Sequence):
        return _sequence(path, start, end, fresh, most)
    if isinstance(path, Alternative):
        return united([path_branches(choice, start, end, fresh, most) for choice in path.choices])
    if isinstance(path, OneOrMore):
        # The first step and the last, which may be the same.
        first = path_branches(path.path, start, fresh.one(), fresh, most)
        return joined(first, path_branches(path.path, fresh.one(), end, fresh, most), most)
    if isinstance(path, NegatedSet):
        return _negated(path, start, end, fresh)
    if isinstance(path, ZeroOrMore | ZeroOrOne):
        return NOTHING
    return (Branch((Pattern(start, path, end),)),)


def _sequence(path: Sequence, start: Term, end: Term, fresh: FreshNames, most: int) -> Branches:
    nodes: list[Term] = [start, *(fresh.one() for _ in path.steps[1:]), end]
    branches = NOTHING
    for step, before, after in zip(path.steps, nodes, nodes[1:], strict=False):
        branches = joined(branches, path_branches(step, before, after, fresh, most), most)
    return branches


def _negated(path: NegatedSet, start: Term, end: Term, fresh: FreshNames) -> Branches:
    forward = (Branch((Pattern(start, fresh.one(), end),)),) if path.forward else ()
    backward = (Branch((Pattern(end, fresh.one(), start),)),) if path.backward else ()
    return forward + backward
