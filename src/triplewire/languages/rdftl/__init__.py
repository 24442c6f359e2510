"""RDFTL: event-condition-action rules on RDF (Papamarkos et al., section 2.1).

    USING NAMESPACE dc http://purl.org/dc/elements/1.1/
    LET $new := resource(http://example.org/users/128)/target(messages)/target(new_LOs)
    ON INSERT resource() AS INSTANCE OF LO
    IF $delta/target(dc:subject) = 'Logic'
    DO INSERT ($new, seq++, $delta);;

syntax.py        what a rule says, as values
tokens.py        words, URIs and names
scope.py         what `$` may stand for, and where
queries.py       reads paths and conditions
changes.py       reads events and actions
definitions.py   reads namespaces and LETs; what holds for the statements that follow
clauses.py       reads our own clauses
parser.py        reads rules and updates
extent.py        how large a query is once its variables are written out
printer.py       writes rules and updates; print_queries.py paths and conditions
sparql.py        paths and conditions as SPARQL
files.py         reads files
"""

from __future__ import annotations

from triplewire.languages.rdftl.files import read_rules, read_updates
from triplewire.languages.rdftl.parser import parse_rule, parse_rules, parse_updates
from triplewire.languages.rdftl.printer import format_rule, format_update
from triplewire.languages.rdftl.sparql import condition_query, path_query

__all__ = [
    "condition_query",
    "format_rule",
    "format_update",
    "parse_rule",
    "parse_rules",
    "parse_updates",
    "path_query",
    "read_rules",
    "read_updates",
]
