"""From the algebra to a graph pattern's text: a query that the language cannot express is refused, never bent."""

from __future__ import annotations

from collections import defaultdict

from triplewire.algebra.constraints import ComparisonTest, Condition, Constraint, TaxonomyTest
from triplewire.algebra.patterns import Pattern, PatternTerm, Variable
from triplewire.algebra.queries import FastQuery, Query, Select
from triplewire.errors import InputError
from triplewire.languages.graph import tokens
from triplewire.languages.graph.parser import parse_graph
from triplewire.languages.scanner import inexpressible
from triplewire.languages.terms import printed_literal
from triplewire.rdf.terms import RDF, Literal, NamedNode

_ConstraintSets = dict[Variable, list[str]]


def print_graph(query: Query) -> str:
    """Write a query that reads back as itself, or say what the language has no words for."""
    if not isinstance(query, FastQuery) or not isinstance(query.form, Select):
        raise _cannot("more than a SELECT over one basic graph pattern")
    if query.core.graphs or len(query.core.constraint.alternatives) != 1:
        raise _cannot("named graphs or alternatives")
    sets = _constraint_sets(query.core.constraint)
    text = "".join(f"{_edge(pattern, sets)} .\n" for pattern in query.core.patterns)
    _check_reading(text, query)
    return text


def _check_reading(text: str, query: FastQuery) -> None:
    try:
        read = parse_graph(text)
    except InputError as error:
        raise _cannot(f"this query: {error.message}") from None
    if read != query:
        raise _cannot("this query; it projects all its variables, in order of appearance, and keeps repeats")


def _constraint_sets(constraint: Constraint) -> _ConstraintSets:
    sets: _ConstraintSets = defaultdict(list)
    for condition in constraint.alternatives[0]:
        variable, written = _constraint(condition)
        sets[variable].append(written)
    return sets


def _constraint(condition: Condition) -> tuple[Variable, str]:
    match condition:
        case Condition(ComparisonTest(operator, Variable() as left, Literal() as right), True):
            return left, f"{operator.value} {printed_literal(right)}"
        case Condition(TaxonomyTest(relation, variable, cls), True) if relation in tokens.RELATION_SIGNS:
            return variable, f"{tokens.RELATION_SIGNS[relation]} {cls}"
    raise _cannot(f"the condition {condition}")


def _edge(pattern: Pattern, sets: _ConstraintSets) -> str:
    subject = _node(pattern.subject, sets)
    predicate = "a" if pattern.predicate == RDF["type"] else _node(pattern.predicate, sets)
    return f"{subject} {predicate} {_node(pattern.object, sets)}"


def _node(term: PatternTerm, sets: _ConstraintSets) -> str:
    if isinstance(term, Variable):
        # A variable carries its constraints where it stands first.
        constraints = sets.pop(term, [])
        return f"{term}({', '.join(constraints)})" if constraints else str(term)
    if isinstance(term, Literal):
        return printed_literal(term)
    if isinstance(term, NamedNode):
        return str(term)
    raise _cannot(f"the term {term}")


def _cannot(what: str) -> InputError:
    return inexpressible("graph", what)
