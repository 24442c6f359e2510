"""Evaluates SPARQL's algebra over a dataset, from a seed, under a budget of steps.

answers      the front door: a query or a pattern, prepared once and asked often
forms        a query taken apart
work         one evaluation under way: dataset, budget, moment
compilation  algebra to operators
operators    what an operator is
patterns     patterns of one quad, and tables
joins        join, union, OPTIONAL, MINUS
paths        `*`, `+` and `?`
modifiers    BIND, GRAPH ?name, projection, order, slices
grouping     GROUP BY
aggregates   COUNT and its kin, which take values back as well
order        the order of terms
triples      what CONSTRUCT and DESCRIBE make
provenance   which quads a solution stands on
path_edges   the quads of one way along a path
expressions  expressions as Python functions
"""
