"""The class L of Chirita et al., as a shape that a query of any language may have.

Definitions 1 and 2: triples with one subject variable, constant predicates and distinct object variables (or, by
footnote 1, constants), under a disjunction of conjunctions of three kinds of atom: a variable equals an IRI, an
integer variable is compared with an integer, a string variable contains a string. For this class the reasoner's answers
are complete. Whether repeated answers are dropped makes no difference to definition 3, so it makes none here.
"""

from __future__ import annotations

from triplewire.algebra.constraints import (
    Comparator,
    ComparisonTest,
    Condition,
    Constraint,
    IntegerTest,
    TextRelation,
    TextTest,
)
from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import FastQuery, Query, Select
from triplewire.rdf.literals.values import is_integer
from triplewire.rdf.terms import XSD, Literal, NamedNode

_STRING = XSD["string"]


def is_in_class_l(query: Query) -> bool:
    """Whether the query has the shape of definition 2."""
    return (
        isinstance(query, FastQuery)
        and isinstance(query.form, Select)
        and not query.core.graphs
        and _one_resource(query.core.patterns)
        and set(query.form.variables) <= set(query.core.variables)
        and _constraint_of_l(query.core.constraint)
    )


def _one_resource(patterns: tuple[Pattern, ...]) -> bool:
    if not patterns or not isinstance(patterns[0].subject, Variable):
        return False
    subject = patterns[0].subject
    variables = [p.object for p in patterns if isinstance(p.object, Variable)]
    return (
        all(p.subject == subject and isinstance(p.predicate, NamedNode) for p in patterns)
        and len({subject, *variables}) == len(variables) + 1
        and all(_of_type_ul(p.object) for p in patterns)
    )


def _of_type_ul(term: PatternTerm) -> bool:
    """L's type UL: a resource, a string or an integer."""
    if isinstance(term, Literal):
        return term.datatype == _STRING or is_integer(term)
    return isinstance(term, Variable | NamedNode)


def _constraint_of_l(constraint: Constraint) -> bool:
    return all(
        _atom_of_l(condition, alternative) for alternative in constraint.alternatives for condition in alternative
    )


def _atom_of_l(condition: Condition, alternative: tuple[Condition, ...]) -> bool:
    match condition:
        case Condition(ComparisonTest(Comparator.EQUAL, Variable(), NamedNode()), True):
            return True
        case Condition(ComparisonTest(operator, Variable() as left, Literal() as right), True):
            typed = Condition(IntegerTest(left)) in alternative
            return operator is not Comparator.NOT_EQUAL and is_integer(right) and typed
        case Condition(TextTest(TextRelation.CONTAINS, _, text), True):
            return text.datatype == _STRING
        case Condition(IntegerTest(), True):
            return True
    return False
