"""Rewrite a query for a dataset of opaque terms, so that literals keep their identity.

In such a dataset a variable may hold an IRI that stands for a literal. Patterns, VALUES, DISTINCT and GROUP BY compare
those IRIs, which is right: terms are compared by identity. Expressions need the literal. So every expression has two
readings here:

    as_value(e)   evaluates to the literal: `?x` becomes `value(?x)`
    as_term(e)    evaluates to the term as the dataset holds it: `?x` stays, a constant becomes opaque

FILTER, ORDER BY, HAVING and arguments are read as values; BIND, SELECT, GROUP BY, COUNT, SAMPLE and sameTerm as terms.
STR, DATATYPE and STRDT go through functions of ours, because a value has lost its lexical form and its derived type. So
do MIN and MAX, and SUM and AVG of distinct terms: they look at values and must tell terms apart.
Whatever Oxigraph computes by itself is in the store's normal form already, so it needs no opaque form.
"""

from __future__ import annotations

from msgspec.structs import replace

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.trees import walk
from triplewire.matching.general.opaque_terms import encoded, internal, is_opaque
from triplewire.rdf.terms import Literal, NamedNode

VALUE = internal("value")
STR = internal("str")
DATATYPE = internal("datatype")
STRDT = internal("strdt")
# Aggregates of SPARQL that ours replace, with DISTINCT and without.
AGGREGATES = {
    ("MIN", False): internal("min"),
    ("MIN", True): internal("min"),
    ("MAX", False): internal("max"),
    ("MAX", True): internal("max"),
    ("SUM", True): internal("sum-distinct"),
    ("AVG", True): internal("avg-distinct"),
}


def as_opaque(query: ast.SelectQuery | ast.AskQuery) -> ast.SelectQuery | ast.AskQuery:
    """The query for a dataset of opaque terms."""
    if isinstance(query, ast.SelectQuery):
        return _select(query)
    values = None if query.values is None else _values(query.values)
    return ast.AskQuery(_group(query.where), _modifiers(query.modifiers), values)


def needs_opaque_terms(rewritten: ast.SelectQuery | ast.AskQuery) -> bool:
    """Whether a query, rewritten, mentions or makes terms that the store would change, whatever the event holds."""
    return any(is_opaque(node) or node == STRDT for node in walk(rewritten))


def as_term(expression: ast.Expression) -> ast.Expression:
    """The expression that yields a term as the dataset holds it."""
    if isinstance(expression, Literal):
        return _constant(expression)
    if isinstance(expression, Variable):
        return expression
    if isinstance(expression, ast.BuiltIn):
        return _built_in_term(expression)
    if isinstance(expression, ast.Aggregate):
        return _aggregate(expression)
    return as_value(expression)


def as_value(expression: ast.Expression) -> ast.Expression:
    """The expression that yields a literal to compute with."""
    if isinstance(expression, Variable):
        return ast.FunctionCall(VALUE, (expression,))
    if isinstance(expression, ast.BuiltIn):
        return _built_in_value(expression)
    if isinstance(expression, ast.Aggregate):
        return ast.FunctionCall(VALUE, (_aggregate(expression),))
    if isinstance(expression, ast.Exists):
        return ast.Exists(_group(expression.group))
    if isinstance(expression, ast.NotExists):
        return ast.NotExists(_group(expression.group))
    return _operands_as_values(expression)


def _operands_as_values(expression: ast.Expression) -> ast.Expression:
    if isinstance(expression, ast.And | ast.Or):
        return type(expression)(_all_values(expression.operands))
    if isinstance(expression, ast.Not):
        return ast.Not(as_value(expression.operand))
    if isinstance(expression, ast.Compare):
        return ast.Compare(expression.operator, as_value(expression.left), as_value(expression.right))
    if isinstance(expression, ast.In | ast.NotIn):
        return type(expression)(as_value(expression.operand), _all_values(expression.choices))
    if isinstance(expression, ast.Signed):
        return ast.Signed(expression.sign, as_value(expression.operand))
    if isinstance(expression, ast.Arithmetic):
        rest = tuple(ast.Operation(step.operator, as_value(step.operand)) for step in expression.rest)
        return ast.Arithmetic(as_value(expression.first), rest)
    if isinstance(expression, ast.FunctionCall):
        return ast.FunctionCall(expression.function, _all_values(expression.arguments))
    return expression


def _all_values(expressions: tuple[ast.Expression, ...]) -> tuple[ast.Expression, ...]:
    return tuple(as_value(expression) for expression in expressions)


def _all_terms(expressions: tuple[ast.Expression, ...]) -> tuple[ast.Expression, ...]:
    return tuple(as_term(expression) for expression in expressions)


def _built_in_term(call: ast.BuiltIn) -> ast.Expression:
    if call.name == "IF":
        condition, *branches = call.arguments
        return ast.BuiltIn("IF", (as_value(condition), *_all_terms(tuple(branches))))
    if call.name == "COALESCE":
        return ast.BuiltIn("COALESCE", _all_terms(call.arguments))
    if call.name == "STRDT":
        return ast.FunctionCall(STRDT, _all_values(call.arguments))
    return _built_in_value(call)


def _built_in_value(call: ast.BuiltIn) -> ast.Expression:
    if call.name == "BOUND":
        return call
    if call.name == "SAMETERM":
        return ast.BuiltIn("SAMETERM", _all_terms(call.arguments))
    if call.name == "STR":
        return ast.FunctionCall(STR, _all_terms(call.arguments))
    if call.name == "DATATYPE":
        return ast.FunctionCall(DATATYPE, _all_terms(call.arguments))
    if call.name == "STRDT":
        return ast.FunctionCall(VALUE, (_built_in_term(call),))
    return replace(call, arguments=_all_values(call.arguments))


def _aggregate(call: ast.Aggregate) -> ast.Expression:
    if call.argument is None:
        return call
    ours = AGGREGATES.get((call.name, call.distinct))
    if ours is not None:
        return ast.FunctionCall(ours, (as_term(call.argument),))
    keeps_terms = call.name in ("COUNT", "SAMPLE")
    argument = as_term(call.argument) if keeps_terms else as_value(call.argument)
    return ast.Aggregate(call.name, argument, call.distinct, call.separator)


def _constant(term: ast.Term) -> ast.Term:
    if isinstance(term, Variable):
        return term
    kept = encoded(term)
    return kept if isinstance(kept, NamedNode) else term


def _group(group: ast.Group) -> ast.Group:
    return ast.Group(tuple(_element(element) for element in group.elements))


def _element(element: ast.Element) -> ast.Element:
    if isinstance(element, ast.TriplesBlock):
        return ast.TriplesBlock(tuple(_pattern(pattern) for pattern in element.patterns))
    if isinstance(element, ast.Optional | ast.Minus):
        return type(element)(_group(element.group))
    if isinstance(element, ast.Union):
        return ast.Union(tuple(_group(branch) for branch in element.branches))
    if isinstance(element, ast.Graph):
        return ast.Graph(element.name, _group(element.group))
    if isinstance(element, ast.Filter):
        return ast.Filter(as_value(element.condition))
    if isinstance(element, ast.Bind):
        return ast.Bind(as_term(element.expression), element.variable)
    if isinstance(element, ast.Values):
        return _values(element)
    if isinstance(element, ast.SubSelect):
        return ast.SubSelect(_select(element.query))
    return _group(element)


def _pattern(pattern: ast.TriplePattern) -> ast.TriplePattern:
    return ast.TriplePattern(_constant(pattern.subject), pattern.predicate, _constant(pattern.object))


def _values(values: ast.Values) -> ast.Values:
    rows = tuple(tuple(_value_cell(cell) for cell in row) for row in values.rows)
    return ast.Values(values.variables, rows)


def _value_cell(cell: NamedNode | Literal | None) -> NamedNode | Literal | None:
    kept = None if cell is None else encoded(cell)
    return kept if isinstance(kept, NamedNode) else cell


def _select(query: ast.SelectQuery) -> ast.SelectQuery:
    projection = None if query.projection is None else tuple(_projected(item) for item in query.projection)
    values = None if query.values is None else _values(query.values)
    return ast.SelectQuery(projection, _group(query.where), query.duplicates, _modifiers(query.modifiers), values)


def _projected(item: Variable | ast.Alias) -> Variable | ast.Alias:
    return item if isinstance(item, Variable) else ast.Alias(as_term(item.expression), item.variable)


def _modifiers(modifiers: ast.Modifiers) -> ast.Modifiers:
    return ast.Modifiers(
        tuple(_group_key(key) for key in modifiers.group_by),
        _all_values(modifiers.having),
        tuple(ast.OrderKey(as_value(key.expression), key.descending) for key in modifiers.order_by),
        modifiers.limit,
        modifiers.offset,
    )


def _group_key(key: ast.Expression | ast.Alias) -> ast.Expression | ast.Alias:
    return ast.Alias(as_term(key.expression), key.variable) if isinstance(key, ast.Alias) else as_term(key)
