"""SPARQL text to syntax tree, one module for each part of the grammar.

aggregation  what a query that groups may project, and how ASK and CONSTRUCT group
calls        built-in functions, aggregates and functions named by IRI
expressions  one function per level of precedence, chains read in a loop
groups       what stands between braces
modifiers    GROUP BY, HAVING, ORDER BY, LIMIT and OFFSET
parser       text to syntax tree
paths        property paths, and what else may stand between subject and object
queries      the prologue, the three forms and their solution modifiers
triples      `;` and `,` lists, `[
values       solutions written down in the query
"""
