"""RDFTL: event-condition-action rules on RDF (Papamarkos et al., section 2.1).

syntax         what a rule says, as values
parts          the parts of a rule, at any depth, and whether `$delta` is among them
tokens         words, URIs and names
scope          what `$` may stand for, and where
queries        reads paths and conditions
changes        reads events and actions
definitions    reads namespaces and LETs; what holds for the statements that follow
clauses        reads our own clauses
parser         reads rules and updates
extent         how large a query is once its variables are written out
printer        writes rules and updates
print_queries  writes paths and conditions
sparql         paths and conditions as SPARQL
files          reads files

USING NAMESPACE dc http://purl.org/dc/elements/1.1/
LET $new := resource(http://example.org/users/128)/target(messages)/target(new_LOs)
ON INSERT resource() AS INSTANCE OF LO
IF $delta/target(dc:subject) = 'Logic'
DO INSERT ($new, seq++, $delta);;
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
