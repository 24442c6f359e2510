"""G-ToPSS graph patterns: one edge a line, with constraints on its nodes.

    tokens   what the parts of a pattern look like, and what its operators mean
    parser   from a pattern's text to the algebra
    printer  from the algebra to a pattern's text: what the language cannot express is refused, never bent

    PREFIX ex: <http://example.org/>
    ?y(<= ex:Publication)  ex:author      "Arno Jacobsen" .
    ?y                     ex:conference  ex:SIGMOD .
    ex:SIGMOD              ex:year        ?x(> 1999, <= 2004) .

Nodes are IRIs, literals, variables and blank nodes (`_:x`, a variable that nobody sees); a predicate may be a variable,
too, and `a` is rdf:type. `#` begins a comment, the full stop may be left out, `@prefix` and `PREFIX` both declare.

A variable may carry constraints at any mention, and all of them must hold. `?y(?y <= C)`, as the paper draws it, is
`?y(<= C)`. What an operator means, its operand decides:

    (operand)     <  <=                         >  >=                         =
    a literal     by value, as in SPARQL        by value                      by value
    an IRI        a descendant of the class     an ancestor of the class      a direct instance or child; if the
                                                                              taxonomy lacks the class, the same term

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
