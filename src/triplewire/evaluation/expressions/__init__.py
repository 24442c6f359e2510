"""Expressions, compiled to Python functions over a solution.

compiler   syntax tree to function: terms, conditions, logic
functions  SPARQL's functions: those that are common, here; all others by Oxigraph
by_oxigraph  one function call, evaluated by Oxigraph over nothing
durations  durations that take long
digests    values that are random but the same for the same solution: BNODE, UUID, RAND
"""
