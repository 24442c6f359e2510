"""SPARQL's algebra, and its evaluation over a dataset: from a seed, under a budget of steps.

answers      the front door: a query or a pattern, prepared once and asked often
forms        a query taken apart
algebra      SPARQL's algebra as a tree, and the way to it from the syntax tree
datasets     what is asked: a default graph and named graphs
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
expressions  expressions as Python functions
"""
