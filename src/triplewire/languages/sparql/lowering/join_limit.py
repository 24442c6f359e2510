"""How many parts Oxigraph has to put in an order before it can evaluate a query.

Its planner tries them against each other: 50 patterns side by side take it 0.1 s, 100 take 1.3 s and 200 take 23 s, for
every evaluation anew.
"""

from __future__ import annotations

from triplewire.algebra.patterns import Variable
from triplewire.errors import LimitExceeded
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.sparql.syntax.limits import QueryLimits


def check_joins(tree: object, limits: QueryLimits) -> None:
    """Raise LimitExceeded if a group joins more parts than can be planned in reasonable time."""
    most = max((joined_in(node) for node in ast.walk(tree) if isinstance(node, ast.Group)), default=0)
    if most > limits.joins:
        message = (
            f"wanted at most {limits.joins:,} patterns, steps of paths and other parts joined by one group "
            f"of a query that is not compiled, found {most:,}"
        )
        raise LimitExceeded("joins", limits.joins, message)


def joined_in(group: ast.Group) -> int:
    """The parts of a group, nested groups included; the branches of a UNION are planned each for itself.

    >>> from triplewire.languages.sparql.parsing.parser import parse_query
    >>> joined_in(parse_query("ASK { ?s ?p ?o ; <urn:a>/<urn:b> ?x OPTIONAL { ?o ?q ?r } FILTER(?x > 1) }").where)
    5
    """
    return sum(map(_parts, group.elements))


def _parts(element: ast.Element) -> int:
    if isinstance(element, ast.TriplesBlock):
        return sum(_steps(pattern.predicate) for pattern in element.patterns)
    if isinstance(element, ast.Optional | ast.Minus | ast.Graph):
        return 1 + joined_in(element.group)
    if isinstance(element, ast.Group):
        return joined_in(element)
    return 0 if isinstance(element, ast.Filter) else 1


def _steps(path: Variable | ast.Path) -> int:
    if isinstance(path, ast.Inverse):
        return _steps(path.path)
    return sum(map(_steps, path.steps)) if isinstance(path, ast.Sequence) else 1
