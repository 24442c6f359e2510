"""One subscription on one event, by rdflib: slow, but it keeps every term as it was written.

rdflib joins, Oxigraph computes: comparisons, text tests, casts and arithmetic go by value, where Oxigraph is right and
rdflib often is not, so those expressions get another evaluator. Graph patterns, where terms count, stay with rdflib.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, cast

import rdflib
from rdflib.plugins.sparql.evaluate import evalQuery
from rdflib.plugins.sparql.operators import EBV
from rdflib.plugins.sparql.parserutils import CompValue, Expr
from rdflib.plugins.sparql.sparql import SPARQLError
from rdflib.term import BNode, Identifier, URIRef

from triplewire.rdf.terms import Literal, NamedNode, Term, Triple
from triplewire.testing.answers import Answers
from triplewire.testing.by_oxigraph import value_of
from triplewire.testing.case import Case, Function
from triplewire.testing.parsed import literals_as_written, nodes_of, parse
from triplewire.testing.rdflib_gaps import gap_in
from triplewire.testing.rdflib_terms import from_rdflib, to_rdflib

_TEXT_TESTS = {"Builtin_CONTAINS": "CONTAINS", "Builtin_STRSTARTS": "STRSTARTS", "Builtin_STRENDS": "STRENDS"}
_TRUE, _FALSE = Literal(True), Literal(False)


def unable(case: Case) -> str | None:
    """Why rdflib cannot judge this case, or None if it can."""
    if any(isinstance(t.object, Triple) for t in case.triples):
        return "it has no triple terms"
    gap = gap_in(case.text)
    return f"{gap.construct}: {gap.reason}" if gap else None


def answer(case: Case) -> Answers | None:
    """What rdflib says, with Oxigraph's arithmetic."""
    query = parse(case.text)
    _let_oxigraph_compute(query.algebra, case.functions)
    with literals_as_written():
        return _read(evalQuery(dataset_of(case), query, {}))


def _read(result: Any) -> Answers | None:
    if result["type_"] == "ASK":
        return [{}] if result["askAnswer"] else None
    if result["type_"] == "CONSTRUCT":
        return [_triple(*row) for row in result["graph"] if _is_triple(row)] or None
    return [_solution(row, result["vars_"]) for row in result["bindings"]] or None


def dataset_of(case: Case) -> rdflib.Dataset:
    """The event's triples as the default graph, and again as the one named graph."""
    dataset = rdflib.Dataset(default_union=False)
    named = dataset.graph(URIRef(case.graph.value))
    for t in case.triples:
        row = (to_rdflib(t.subject), to_rdflib(t.predicate), to_rdflib(t.object))
        dataset.default_graph.add(row)
        named.add(row)
    return dataset


def _solution(row: Any, variables: list[Any]) -> dict[str, Term]:
    return {str(v): from_rdflib(row[v]) for v in variables if row.get(v) is not None and not isinstance(v, BNode)}


def _is_triple(row: tuple[Identifier, ...]) -> bool:
    return not isinstance(row[0], rdflib.Literal) and isinstance(row[1], URIRef)


def _triple(*row: Identifier) -> Triple:
    return Triple(*map(from_rdflib, row))  # type: ignore[arg-type]


def _let_oxigraph_compute(algebra: Any, functions: dict[NamedNode, Function]) -> None:
    for node in nodes_of(algebra):
        evaluator = _evaluator(node, functions)
        if evaluator is not None and isinstance(node, Expr):
            node._evalfn = MethodType(evaluator, node)


def _evaluator(node: CompValue, functions: dict[NamedNode, Function]) -> Callable[[Any, Any], Identifier] | None:
    if node.name == "RelationalExpression":
        return _relation
    if node.name == "ConditionalAndExpression":
        return _conjunction
    if node.name in ("AdditiveExpression", "MultiplicativeExpression"):
        return _arithmetic
    if node.name in _TEXT_TESTS:
        return lambda expr, _: _computed(f"{_TEXT_TESTS[expr.name]}(?a, ?b)", expr.arg1, expr.arg2)
    if node.name == "Builtin_STR":
        return _str
    if node.name == "UnaryMinus":
        return lambda expr, _: _computed("-?a", expr.expr)
    if node.name == "Function":
        return _calling(functions)
    return None


def _relation(expr: Any, _: Any) -> Identifier:
    if expr.other is None:
        return cast("Identifier", expr.expr)
    if expr.op in ("IN", "NOT IN"):
        found = _membership(expr.expr, [] if expr.other == rdflib.RDF.nil else expr.other)
        return to_rdflib(found if expr.op == "IN" else _FALSE if found == _TRUE else _TRUE)
    return _computed(f"?a {expr.op} ?b", expr.expr, expr.other)


def _conjunction(expr: Any, _: Any) -> Identifier:
    """rdflib's own stops at the first error; but an error and false is false (SPARQL 1.1, 17.2)."""
    outcomes = [_truth(operand) for operand in (expr.expr, *(expr.other or ()))]
    if False in outcomes:
        return to_rdflib(_FALSE)
    if None in outcomes:
        raise SPARQLError("one side of && was an error, and the other was not false")
    return to_rdflib(_TRUE)


def _str(expr: Any, _: Any) -> Identifier:
    """rdflib's own gives the label of a blank node; but STR takes literals and IRIs only (SPARQL 1.1, 17.4.2.5)."""
    if isinstance(expr.arg, SPARQLError):
        raise expr.arg
    if isinstance(expr.arg, BNode):
        raise SPARQLError("STR of a blank node is an error")
    return rdflib.Literal(str(expr.arg))


def _truth(value: Any) -> bool | None:
    try:
        return bool(EBV(value))
    except SPARQLError:
        return None


def _membership(left: Identifier, rights: list[Identifier]) -> Literal:
    outcomes = [_value("?a = ?b", left, right) for right in rights]
    if _TRUE in outcomes:
        return _TRUE
    if None in outcomes:
        raise SPARQLError("one of the comparisons in IN was an error")
    return _FALSE


def _arithmetic(expr: Any, _: Any) -> Identifier:
    result: Identifier = expr.expr
    if expr.other is not None:
        for operator, operand in zip(expr.op, expr.other, strict=True):
            result = _computed(f"?a {operator} ?b", result, operand)
    return result


def _calling(functions: dict[NamedNode, Function]) -> Callable[[Any, Any], Identifier]:
    def call(expr: Any, _: Any) -> Identifier:
        function = functions.get(NamedNode(str(expr.iri)))
        if function is None:
            return _computed(f"<{expr.iri}>(?a)", *expr.expr)
        value = function(*map(from_rdflib, expr.expr))
        if value is None:
            raise SPARQLError(f"{expr.iri} has no value")
        return to_rdflib(value)

    return call


def _computed(expression: str, *operands: Identifier) -> Identifier:
    value = _value(expression, *operands)
    if value is None:
        raise SPARQLError(f"{expression} is an error")
    return to_rdflib(value)


def _value(expression: str, *operands: Identifier) -> Term | None:
    if any(isinstance(operand, SPARQLError) for operand in operands):
        return None
    return value_of(expression, *map(from_rdflib, operands))
