"""Queries up to the names of their variables."""

from __future__ import annotations

from triplewire.algebra.patterns import Variable
from triplewire.languages.sparql.printing.printer import print_query
from triplewire.languages.sparql.syntax.ast import Query, transform, walk


def canonical_text(query: Query) -> str:
    """The query's text with variables and blank nodes renamed in order of appearance.

    >>> from triplewire.languages.sparql.parsing.parser import parse_query
    >>> canonical_text(parse_query("SELECT ?who { [] <urn:p>+ ?who OPTIONAL { ?who ?how ?what } }"))
    'SELECT ?v0 WHERE { _:v1 <urn:p>+ ?v0 . OPTIONAL { ?v0 ?v2 ?v3 . } }'
    """
    names: dict[Variable, Variable] = {}
    for node in walk(query):
        if isinstance(node, Variable) and node not in names:
            names[node] = Variable(f"{'_:' if node.is_blank else ''}v{len(names)}")
    return print_query(transform(query, lambda node: names[node] if isinstance(node, Variable) else node))
