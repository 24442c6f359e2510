"""Standing queries over the living graph, kept up to date from what changes.

graphs       the dataset that is asked, after a change and before it
algebra      SPARQL's algebra, and the way to it from the syntax tree
evaluation   evaluates it, from a seed, under a budget
"""
