"""The fast lane: a group that is patterns under a constraint.

A FILTER in a nested group sees that group's variables only. All that its group binds is bound to the same after the
join, so such a FILTER can be hoisted; a variable that its group does not bind is an error there, whatever it is
outside. The name of an enclosing GRAPH is the exception: the specification has it unbound inside, most engines bound.
A FILTER that asks is left to the general lane.
"""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.algebra.constraints import ALWAYS, NEVER, Constraint, MembershipTest, variables_in
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Core
from triplewire.languages.sparql.lowering.conditions import ReadLeaf, conjoined, leaf_condition, normal_form
from triplewire.languages.sparql.lowering.expression_tests import test_of
from triplewire.languages.sparql.syntax.ast import Expression, Filter, Graph, Group, TriplePattern, TriplesBlock
from triplewire.rdf.terms import NamedNode

_NONE: frozenset[Variable] = frozenset()


def fast_core(group: Group, most: int, enclosing: frozenset[Variable] = _NONE) -> Core | None:
    """The core that a group is, or None. `enclosing` are the names of GRAPHs around it."""
    patterns: list[Pattern] = []
    graphs: dict[Variable | NamedNode, None] = {}
    constraint: Constraint | None = ALWAYS
    filters: list[Expression] = []
    for element in group.elements:
        if isinstance(element, TriplesBlock):
            if not _add_patterns(element.patterns, patterns):
                return None
        elif isinstance(element, Filter):
            filters.append(element.condition)
        elif isinstance(element, Graph | Group):
            inner = _inner_core(element, most, enclosing)
            if inner is None:
                return None
            patterns.extend(inner.patterns)
            graphs.update(dict.fromkeys(inner.graphs))
            constraint = conjoined(constraint, inner.constraint, most)
        else:
            return None
    core = Core(tuple(patterns), ALWAYS, tuple(graphs))
    if filters:
        constraint = conjoined(constraint, _filtered(filters, _exact(set(core.variables), enclosing), most), most)
    return None if constraint is None else Core(core.patterns, constraint, core.graphs)


def _add_patterns(found: Iterable[TriplePattern], patterns: list[Pattern]) -> bool:
    for pattern in found:
        predicate = pattern.predicate
        if not isinstance(predicate, Variable | NamedNode):
            return False
        patterns.append(Pattern(pattern.subject, predicate, pattern.object))
    return True


def _inner_core(element: Graph | Group, most: int, enclosing: frozenset[Variable]) -> Core | None:
    if isinstance(element, Group):
        return fast_core(element, most, enclosing)
    named = frozenset([element.name]) if isinstance(element.name, Variable) else _NONE
    inner = fast_core(element.group, most, enclosing | named)
    return None if inner is None else Core(inner.patterns, inner.constraint, (element.name, *inner.graphs))


def _filtered(filters: Iterable[Expression], read_leaf: ReadLeaf, most: int) -> Constraint | None:
    constraint: Constraint | None = ALWAYS
    for condition in filters:
        constraint = conjoined(constraint, normal_form(condition, read_leaf, most), most)
    return constraint


def _exact(bound: set[Variable], enclosing: frozenset[Variable]) -> ReadLeaf:
    def read(expression: Expression, holds: bool) -> Constraint | None:
        test = test_of(expression)
        if test is None:
            return None
        unbound = [name for name in variables_in(test) if name not in bound]
        if not unbound:
            return leaf_condition(test, holds)
        if any(name in enclosing for name in unbound) or (isinstance(test, MembershipTest) and not test.constants):
            return None
        # An unbound variable makes the test an error: neither true nor false.
        return NEVER

    return read
