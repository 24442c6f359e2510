"""Syntax tree to algebra: which lane a query takes, and what it requires of an event.

lanes             which lane, and the query of the algebra
fast_lane         a group that is patterns under a constraint
conditions        FILTER expressions to constraints in disjunctive normal form
expression_tests  expressions that the algebra has a test for
requirements      what a general query requires of an event, so that it can be indexed like any other
branches          what one way of matching a pattern requires, and how ways combine
oxigraph_limits   what a general query asks of Oxigraph's stack and planner
balanced_trees    long chains as trees of little height, for readers that recurse
"""
