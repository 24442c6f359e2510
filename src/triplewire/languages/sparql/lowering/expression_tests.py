"""Expressions that the algebra has a test for."""

from __future__ import annotations

from triplewire.algebra.constraints import (
    Comparator,
    ComparisonTest,
    IntegerTest,
    MembershipTest,
    TaxonomyTest,
    Test,
    TextTest,
)
from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.syntax.ast import And, BuiltIn, Compare, Expression, FunctionCall, In
from triplewire.languages.sparql.syntax.functions import INTEGER_CAST, TAXONOMY_FUNCTIONS, TEXT_FUNCTIONS
from triplewire.rdf.literals.numbers import INTEGER_TYPES
from triplewire.rdf.terms import RDF, XSD, Literal, NamedNode

_TEXT_TYPES = frozenset((XSD["string"], RDF["langString"]))
_INTEGERS = tuple(XSD[name] for name in INTEGER_TYPES)


def test_of(expression: Expression) -> Test | None:
    """The test that an expression is, or None."""
    if isinstance(expression, Compare):
        return _comparison(expression)
    if isinstance(expression, In):
        return _membership(expression)
    if isinstance(expression, BuiltIn):
        return _text_test(expression)
    if isinstance(expression, FunctionCall):
        return _taxonomy_test(expression)
    return integer_test(expression)


def integer_test(expression: Expression) -> IntegerTest | None:
    """Read back what `integer_expression` writes."""
    if not isinstance(expression, And) or len(expression.operands) != 2:
        return None
    typed = expression.operands[0]
    if not isinstance(typed, In) or not isinstance(typed.operand, BuiltIn) or typed.operand.name != "DATATYPE":
        return None
    name = typed.operand.arguments[0]
    return IntegerTest(name) if isinstance(name, Variable) and expression == integer_expression(name) else None


def integer_expression(name: Variable) -> And:
    """SPARQL for `IntegerTest`: an integer type, and a form that can be cast: `"abc"^^xsd:integer` has none."""
    typed = In(BuiltIn("DATATYPE", (name,)), _INTEGERS)
    return And((typed, Compare(Comparator.EQUAL, FunctionCall(INTEGER_CAST, (name,)), name)))


def _comparison(node: Compare) -> ComparisonTest | None:
    left, right = node.left, node.right
    if isinstance(left, Variable):
        return ComparisonTest(node.operator, left, right) if isinstance(right, Variable | NamedNode | Literal) else None
    if isinstance(right, Variable) and isinstance(left, NamedNode | Literal):
        return ComparisonTest(node.operator, left, right)
    return None


def _membership(node: In) -> MembershipTest | None:
    if not isinstance(node.operand, Variable):
        return None
    constants = tuple(choice for choice in node.choices if isinstance(choice, NamedNode | Literal))
    return MembershipTest(node.operand, constants) if len(constants) == len(node.choices) else None


def _text_test(node: BuiltIn) -> TextTest | None:
    relation = TEXT_FUNCTIONS.get(node.name)
    if relation is None:
        return None
    name, text = node.arguments
    if isinstance(name, Variable) and isinstance(text, Literal) and text.datatype in _TEXT_TYPES:
        return TextTest(relation, name, text)
    return None


def _taxonomy_test(node: FunctionCall) -> TaxonomyTest | None:
    relation = TAXONOMY_FUNCTIONS.get(node.function)
    if relation is None:
        return None
    name, cls = node.arguments
    if isinstance(name, Variable) and isinstance(cls, NamedNode):
        return TaxonomyTest(relation, name, cls)
    return None
