"""SPARQL's algebra, and the way to it from the syntax tree.

nodes        the algebra as a tree
translation  syntax tree to algebra, by section 18.2
paths        property paths to patterns
parameters   constants out of a query, so that many share what is left
variables    which variables a solution has for certain, and which it may have
"""
