"""G-ToPSS graph patterns: one edge a line, with constraints on its nodes.

    parser   from a graph pattern's text to the algebra
    printer  from the algebra to a graph pattern's text: a query that the language cannot express is refused, never
             bent
    tokens   what the parts of a graph pattern look like, and what its operators mean

Nodes are IRIs, literals, variables and blank nodes (`_:x`, a variable that nobody sees); a predicate may be a variable,
too, and `a` is rdf:type. `#` begins a comment, the full stop may be left out, `@prefix` and `PREFIX` both declare.

A variable may carry constraints at any mention, and all of them must hold. `?y(?y <= C)`, as the paper draws it, is
`?y(<= C)`. What an operator means, its operand decides:

Every variable is projected, in order of appearance; answers may repeat.
"""

from __future__ import annotations

from triplewire.algebra.queries import Query
from triplewire.languages.graph.parser import parse_graph
from triplewire.languages.graph.printer import print_graph


class GraphLanguage:
    """The language as subscriptions use it."""

    name = "graph"
    suffix = ".graph"

    def parse(self, text: str) -> Query:
        return parse_graph(text)

    def print(self, query: Query) -> str:
        return print_graph(query)
