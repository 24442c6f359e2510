"""SPARQL 1.1, read and printed by hand: queries and updates.

    syntax     tokens, terms, the syntax tree, and limits on all of them
    parsing    text to syntax tree, one module for each part of the grammar
    printing   syntax tree to text
    lowering   syntax tree to algebra: which lane a query takes, and what it requires of an event
    templates  the way around all three for a text that differs from others in its constants only

Nothing here evaluates, and no text reaches Oxigraph before it was read here.
"""

from __future__ import annotations

from triplewire.algebra.queries import FastQuery, Query
from triplewire.languages.sparql.lowering.lanes import compile_query
from triplewire.languages.sparql.parsing.parser import parse_dataset_query, parse_query, parse_update
from triplewire.languages.sparql.printing.algebra_syntax import syntax_of
from triplewire.languages.sparql.printing.printer import print_dataset_query, print_query
from triplewire.languages.sparql.printing.updates import print_update
from triplewire.languages.sparql.syntax.limits import DEFAULT_LIMITS, QueryLimits
from triplewire.languages.sparql.templates import Templates

__all__ = [
    "QueryLimits",
    "SparqlLanguage",
    "parse_dataset_query",
    "parse_query",
    "parse_update",
    "print_dataset_query",
    "print_query",
    "print_update",
]


class SparqlLanguage:
    """SPARQL 1.1 SELECT, ASK and CONSTRUCT as a subscription language."""

    name = "sparql"
    suffix = ".rq"

    def __init__(self, limits: QueryLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._templates = Templates(self.parse_whole, limits.text)

    def parse(self, text: str) -> Query:
        return self._templates.parse(text)

    def parse_whole(self, text: str) -> Query:
        """The same, for a text that is read as if it were the first of its kind."""
        return compile_query(parse_query(text, self._limits), self._limits)

    def print(self, query: Query) -> str:
        """The query as SPARQL, whatever language it came from."""
        return print_query(syntax_of(query)) if isinstance(query, FastQuery) else query.text
