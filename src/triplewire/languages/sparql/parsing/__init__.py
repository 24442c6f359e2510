"""SPARQL text to syntax tree, one module for each part of the grammar.

parser       the front door, with the checks of size, depth and characters
prologue     PREFIX and BASE
queries      the three forms
datasets     FROM, FROM NAMED and DESCRIBE, for queries over the living graph
updates      SPARQL 1.1 Update: operations, templates and data
groups       what stands between braces
triples      lists with `;` and `,`, and nodes in brackets, spelled out as one pattern each
paths        property paths, and what else may stand between subject and object
expressions  one function per level of precedence, chains read in a loop
calls        built-in functions, aggregates and functions named by IRI
values       VALUES: solutions written down in the query
modifiers    GROUP BY, HAVING, ORDER BY, LIMIT and OFFSET
aggregation  what a query that groups may project, and how ASK, CONSTRUCT and DESCRIBE group
"""
