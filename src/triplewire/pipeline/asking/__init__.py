"""SPARQL over a lake's history: the algebra of a query as joins over quads, what is inside GRAPH ?g an event at a time.

dataset        what is asked: every event is a named graph, the default graph is the set of all their triples
plans          solutions as rows of a DataFrame, a column a variable; joins of such rows
planner        algebra to plans; refuses by name what would need all events in one place
row_functions  conditions, BIND and templates, over rows inside tasks
graph_groups   `GRAPH ?g { … }`, an event at a time inside tasks
grouping       GROUP BY
ordering       ORDER BY: what tasks keep of it
"""
