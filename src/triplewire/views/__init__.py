"""Standing queries over the living graph, kept up to date from what changes.

graphs        the dataset before a change, and both states at once
changes       what one transaction added and removed
maintenance   keeps the answer of a query up to date from what changes
index         which views a change can touch, in work that does not grow with their number
allowances    how much work one change may be for a view, and for all views of its owner
view_set      many views over one dataset
nearest_miss  what comes closest where a query has no answer
explanation   how a view is kept up to date, in words
"""
