"""Fast queries back to syntax: every query of the algebra has a SPARQL form, whatever language it was written in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from triplewire.algebra.constraints import (
    ALWAYS,
    ComparisonTest,
    Condition,
    Constraint,
    IntegerTest,
    MembershipTest,
    TaxonomyTest,
    TextTest,
    variables_in,
)
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Ask, Core, FastQuery, Select
from triplewire.languages.sparql.lowering.expression_tests import integer_expression
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.terms import BOOLEAN
from triplewire.languages.trees import transform
from triplewire.rdf.terms import TW, Literal


def syntax_of(query: FastQuery) -> ast.Query:
    """The syntax tree of a fast query; compiling it gives the query again."""
    where = _visible_where_tested(_where(query.core), query.core)
    form = query.form
    if isinstance(form, Select):
        duplicates = ast.Duplicates.DISTINCT if form.distinct else ast.Duplicates.KEPT
        return ast.SelectQuery(form.variables or None, where, duplicates)
    if isinstance(form, Ask):
        return ast.AskQuery(where)
    return ast.ConstructQuery(_triples(form.template), where)


def _where(core: Core) -> ast.Group:
    elements: list[ast.Element] = []
    if core.patterns:
        elements.append(ast.TriplesBlock(_triples(core.patterns)))
    for index, graph in enumerate(core.graphs):
        # The event's triples are those of its graph, so one GRAPH may as well hold them all.
        inner = ast.Group(tuple(elements) if index == 0 else ())
        elements = [ast.Graph(graph, inner)] if index == 0 else [*elements, ast.Graph(graph, inner)]
    if core.constraint != ALWAYS:
        elements.append(ast.Filter(expression_of(core.constraint)))
    return ast.Group(tuple(elements))


def _triples(patterns: Sequence[Pattern]) -> tuple[ast.TriplePattern, ...]:
    return tuple(ast.TriplePattern(*pattern) for pattern in patterns)


def _visible_where_tested(where: ast.Group, core: Core) -> ast.Group:
    """A FILTER cannot mention a blank node: one that is tested becomes a variable with a name nobody has."""
    tested = {v for a in core.constraint.alternatives for c in a for v in variables_in(c.test) if v.is_blank}
    if not tested:
        return where
    taken = {variable.name for variable in core.variables}
    names = {blank: _named(blank, taken) for blank in sorted(tested)}
    return transform(where, lambda node: names.get(node, node) if isinstance(node, Variable) else node)


def _named(blank: Variable, taken: set[str]) -> Variable:
    name = "blank_" + "".join(c if c.isalnum() else "_" for c in blank.name[2:])
    while name in taken:
        name += "_"
    taken.add(name)
    return Variable(name)


def expression_of(constraint: Constraint) -> ast.Expression:
    """A constraint as an expression: alternatives of conjunctions."""
    return _combined(ast.Or, [_conjunction(a) for a in constraint.alternatives], "false")


def _conjunction(alternative: tuple[Condition, ...]) -> ast.Expression:
    return _combined(ast.And, [_condition(condition) for condition in alternative], "true")


def _combined(
    node: Callable[[tuple[ast.Expression, ...]], ast.Expression], parts: list[ast.Expression], empty: str
) -> ast.Expression:
    if not parts:
        return Literal(empty, datatype=BOOLEAN)
    return parts[0] if len(parts) == 1 else node(tuple(parts))


def _condition(condition: Condition) -> ast.Expression:
    test = condition.test
    if isinstance(test, MembershipTest):
        return (ast.In if condition.holds else ast.NotIn)(test.variable, test.constants)
    expression = _expression(test)
    return expression if condition.holds else ast.Not(expression)


def _expression(test: ComparisonTest | TextTest | TaxonomyTest | IntegerTest) -> ast.Expression:
    if isinstance(test, ComparisonTest):
        return ast.Compare(test.operator, test.left, test.right)
    if isinstance(test, TextTest):
        return ast.BuiltIn(test.relation.value, (test.variable, test.text))
    if isinstance(test, TaxonomyTest):
        return ast.FunctionCall(TW[test.relation.value], (test.variable, test.cls))
    return integer_expression(test.variable)
