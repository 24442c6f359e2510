"""Queries made straight from the algebra, for tests that need no language."""

from __future__ import annotations

from triplewire.algebra.constraints import ALWAYS, Comparator, ComparisonTest, Condition, Constraint
from triplewire.algebra.patterns import Pattern, Variable
from triplewire.algebra.queries import Core, FastQuery, Form, Select
from triplewire.algebra.subscriptions import Subscription, language_named
from triplewire.rdf.terms import Literal, NamedNode, Namespace

EX = Namespace("http://example.org/")
X, Y, Z, G = (Variable(name) for name in "xyzg")


def core(*patterns: tuple, constraint: Constraint = ALWAYS, graphs: tuple = ()) -> Core:
    return Core(tuple(Pattern(*pattern) for pattern in patterns), constraint, graphs)


def subscribed(name: str, wanted: Core, form: Form | None = None) -> Subscription:
    """A fast subscription to a core, by default with all its variables."""
    query = FastQuery(form or Select(wanted.variables), wanted)
    return Subscription(name, "sparql", language_named("sparql").print(query), query)


def where(*conditions: Condition) -> Constraint:
    return Constraint((conditions,))


def comparison(left: Variable, sign: str, right: NamedNode | Literal | Variable) -> Condition:
    return Condition(ComparisonTest(Comparator(sign), left, right))
