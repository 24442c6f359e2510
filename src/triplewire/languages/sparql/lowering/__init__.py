"""Syntax tree to algebra: which lane a query takes, and what it requires of an event.

balanced_trees    long chains as balanced trees, for readers that recurse
branches          what one way of matching a pattern requires, and how ways combine
conditions        FILTER expressions to constraints in disjunctive normal form
expression_tests  expressions that the algebra has a test for
fast_lane         a group that is patterns under a constraint
lanes             which lane a query takes, and the algebra it becomes
oxigraph_limits   what a query asks of Oxigraph's stack and planner, told from the tree before Oxigraph sees the
                  text
requirements      what a general query requires of an event, so that it can be indexed like any other
"""
