"""RDFTL: event-condition-action rules on RDF (Papamarkos et al., section 2.1).

    USING NAMESPACE dc http://purl.org/dc/elements/1.1/
    LET $new := resource(http://example.org/users/128)/target(messages)/target(new_LOs)
    ON INSERT resource() AS INSTANCE OF LO
    IF $delta/target(dc:subject) = 'Logic'
    DO INSERT ($new, seq++, $delta);;

change_parser  reads events and actions, which have the same forms and differ in what may be left open
clauses        the clauses of a preamble that are ours: the paper wants them said, and gives them no syntax
definitions    what a preamble defines, and what of it holds for the statements that follow
expanded_size  how large a path or a condition is once every variable is written out
files          rules and updates from files
parser         from the text of rules and updates to what they say
parts          the parts of a rule, at any depth, and whether `$delta` is among them
path_parser    reads paths and conditions
path_printer   names, paths and conditions as text
printer        rules and updates as text that reads back as the same
scope          what `$` may stand for at a place of a rule: the variables so far, and the parts of `$delta`, if any
sparql         paths and conditions as SPARQL queries, for a store that holds the repository as its default graph
syntax         what an RDFTL rule says (Papamarkos et al., section 2.1), as values
tokens         what the words of RDFTL look like, and how its URIs and names are resolved
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
