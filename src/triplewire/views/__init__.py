"""Standing queries over the living graph, kept up to date from what changes.

graphs        the dataset that is asked, after a change and before it
changes       what one transaction added and removed
algebra       SPARQL's algebra, and the way to it from the syntax tree
evaluation    evaluates it, from a seed, under a budget
maintenance   keeps the answer of a query up to date from what changes
index         which views a change can touch, in work that does not grow with their number
view_set      many views over one dataset
nearest_miss  what comes closest where a query has no answer
explanation   how a view is kept up to date, in words
"""
