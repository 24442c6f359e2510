"""Constraints in words: how a condition reads, and how a binding fails it.

>>> from triplewire.algebra.constraints import Comparator
>>> from triplewire.algebra.taxonomy import EMPTY
>>> age, limit = Variable("age"), Literal(25)
>>> older = Condition(ComparisonTest(Comparator.GREATER, age, limit))
>>> condition_text(older)
'?age > 25'
>>> failure(older, {age: Literal(19)}, EMPTY, {})
'age 19 is not > 25'
"""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import shorten

from triplewire.algebra.constraints import (
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
)
from triplewire.algebra.evaluation import outcome
from triplewire.algebra.patterns import Variable
from triplewire.algebra.taxonomy import Taxonomy, TypesInEvent
from triplewire.rdf.terms import XSD, Literal, Term

_LONGEST = 120
_MOST_MEMBERS = 5
_BARE = frozenset(XSD[name] for name in ("integer", "decimal", "double", "boolean"))
_TEXT_VERBS = {TextRelation.CONTAINS: "contain", TextRelation.STARTS: "start with", TextRelation.ENDS: "end with"}
_TEXT_FACTS = {TextRelation.CONTAINS: "contains", TextRelation.STARTS: "starts with", TextRelation.ENDS: "ends with"}
_STANDINGS = {
    TaxonomyRelation.IS_A: "a descendant of",
    TaxonomyRelation.ANCESTOR_OF: "an ancestor of",
    TaxonomyRelation.DIRECT: "a direct instance or child of",
    TaxonomyRelation.DIRECT_OR_SAME: "the same as, or a direct instance or child of,",
}


def constraint_text(constraint: Constraint) -> str:
    """A constraint as one line; empty if it always holds."""
    if not constraint.alternatives:
        return "false"
    several = len(constraint.alternatives) > 1
    lines = []
    for alternative in constraint.alternatives:
        line = " && ".join(condition_text(condition) for condition in alternative)
        lines.append(f"({line})" if several and len(alternative) > 1 else line or ("true" if several else ""))
    return " || ".join(lines)


def condition_text(condition: Condition) -> str:
    """A condition, nearly as SPARQL writes it."""
    text = _test_text(condition.test)
    return text if condition.holds else f"!({text})"


def failure(
    condition: Condition, binding: Mapping[Variable, Term], taxonomy: Taxonomy, types_in_event: TypesInEvent
) -> str:
    """How a binding that does not meet the condition fails it."""
    test = condition.test
    if outcome(test, binding, taxonomy, types_in_event) is None:
        return _error(test, binding)
    if isinstance(test, ComparisonTest):
        subject, operator, other = _comparison_words(test, binding)
        return f"{subject} is {'not ' if condition.holds else ''}{operator} {other}"
    return f"{_named(test.variable, binding)} {_unmet(test) if condition.holds else _met_unduly(test)}"


def term_text(term: Term) -> str:
    """A term for people: numbers bare, long ones cut."""
    text = term.value if isinstance(term, Literal) and term.datatype in _BARE else str(term)
    return shorten(text, _LONGEST, placeholder="…") if len(text) > _LONGEST else text


def _test_text(test: Test) -> str:
    if isinstance(test, ComparisonTest):
        return f"{_operand_text(test.left)} {test.operator.value} {_operand_text(test.right)}"
    if isinstance(test, MembershipTest):
        return f"{test.variable} IN ({', '.join(term_text(constant) for constant in test.constants)})"
    if isinstance(test, TextTest):
        return f"{test.relation.value}({test.variable}, {term_text(test.text)})"
    if isinstance(test, TaxonomyTest):
        return f"tw:{test.relation.value}({test.variable}, {test.cls})"
    return f"{test.variable} is an integer"


def _operand_text(operand: Operand) -> str:
    return str(operand) if isinstance(operand, Variable) else term_text(operand)


def _error(test: Test, binding: Mapping[Variable, Term]) -> str:
    if isinstance(test, ComparisonTest):
        subject, operator, other = _comparison_words(test, binding)
        return f"{subject} cannot be compared by {operator} with {other}"
    return f"{_named(test.variable, binding)} cannot be tested by {_test_text(test)}"


def _comparison_words(test: ComparisonTest, binding: Mapping[Variable, Term]) -> tuple[str, str, str]:
    """Subject, operator and object; a constant on the left reads better on the right."""
    if isinstance(test.left, Variable):
        return _named(test.left, binding), test.operator.value, _shown(test.right, binding)
    assert isinstance(test.right, Variable)
    mirrored = test.operator.value.translate(str.maketrans("<>", "><"))
    return _named(test.right, binding), mirrored, _shown(test.left, binding)


def _shown(operand: Operand, binding: Mapping[Variable, Term]) -> str:
    return _named(operand, binding) if isinstance(operand, Variable) else term_text(operand)


def _named(variable: Variable, binding: Mapping[Variable, Term]) -> str:
    name = "a blank node" if variable.is_blank else variable.name
    return f"{name} {term_text(binding[variable])}" if variable in binding else f"{name} (unbound)"


def _unmet(test: MembershipTest | TextTest | TaxonomyTest | IntegerTest) -> str:
    if isinstance(test, MembershipTest):
        return f"is not one of {_members(test)}"
    if isinstance(test, TextTest):
        return f"does not {_TEXT_VERBS[test.relation]} {term_text(test.text)}"
    if isinstance(test, TaxonomyTest):
        return f"is not {_STANDINGS[test.relation]} {test.cls}"
    return "is not an integer"


def _met_unduly(test: MembershipTest | TextTest | TaxonomyTest | IntegerTest) -> str:
    if isinstance(test, MembershipTest):
        return f"is one of {_members(test)}"
    if isinstance(test, TextTest):
        return f"{_TEXT_FACTS[test.relation]} {term_text(test.text)}"
    if isinstance(test, TaxonomyTest):
        return f"is {_STANDINGS[test.relation]} {test.cls}"
    return "is an integer"


def _members(test: MembershipTest) -> str:
    shown = [term_text(constant) for constant in test.constants[:_MOST_MEMBERS]]
    more = len(test.constants) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
