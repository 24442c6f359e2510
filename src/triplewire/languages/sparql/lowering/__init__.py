"""Syntax tree to algebra: which lane a query takes, and what it requires of an event.

balanced_trees     long chains as balanced trees, for readers that recurse
branches           what one way of matching a pattern requires, and how ways combine
canonical          queries up to the names of their variables
conditions         FILTER expressions to constraints in disjunctive normal form
expression_tests   expressions that the algebra has a test for
fast_lane          a group that is patterns under a constraint
join_limit         how many parts Oxigraph has to put in an order before it can evaluate a query
lanes              which lane a query takes, and the algebra it becomes
path_requirements  the triples that every way along it must pass
requirements       what a general query requires of an event, so that it can be indexed like any other
stack_limit        how much stack Oxigraph takes for a query, in kibibytes, before it sees the text
"""
