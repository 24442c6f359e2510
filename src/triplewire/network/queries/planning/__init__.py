"""From a query to the steps in which its quadruples are fetched.

paths        what must be fetched for a property path
planner      reads the steps off the syntax tree
scopes       what is known about variables where a pattern stands: bounds, and patterns that give values
steps        a step: one pattern, and where its quadruples may lie
variables    which variables are certainly bound, and what needs a triple at all
"""
