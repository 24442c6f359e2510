"""SPARQL 1.1, read and printed by hand.

    tokens, cursor            text to tokens; where the parser is
    terms, paths, triples, expressions, calls, data, groups, modifiers, queries
                              the grammar, one file a part; `parser` puts it together
    ast                       the syntax tree
    printer, print_*          syntax tree to text
    lanes                     syntax tree to algebra: `fast` or, with `requirements`, general
    fast_syntax               algebra to syntax tree
    stack, joins, balancing   what a query asks of Oxigraph's stack and planner; long chains as trees of little height

Nothing here evaluates, and no text reaches Oxigraph before it was read here.
"""

from __future__ import annotations

from triplewire.algebra.queries import FastQuery, Query
from triplewire.languages.sparql.fast_syntax import syntax_of
from triplewire.languages.sparql.lanes import compile_query
from triplewire.languages.sparql.limits import DEFAULT_LIMITS, QueryLimits
from triplewire.languages.sparql.parser import parse_query
from triplewire.languages.sparql.printer import print_query

__all__ = ["QueryLimits", "SparqlLanguage"]


class SparqlLanguage:
    """SPARQL 1.1 SELECT, ASK and CONSTRUCT as a subscription language."""

    name = "sparql"
    suffix = ".rq"

    def __init__(self, limits: QueryLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits

    def parse(self, text: str) -> Query:
        return compile_query(parse_query(text, self._limits), self._limits)

    def print(self, query: Query) -> str:
        """The query as SPARQL, whatever language it came from."""
        return print_query(syntax_of(query)) if isinstance(query, FastQuery) else query.text
