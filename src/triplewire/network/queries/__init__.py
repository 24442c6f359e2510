"""SPARQL over the whole space, without I/O.

bounds       what constants, values and filters say about where terms lie
evaluation   evaluates a query over what was fetched; can run in a process of its own
explain      what a query will fetch, in which order, and what prunes
ordering     the order in which steps are fetched
planning     from a query to the steps in which its quadruples are fetched
space_query  the query as a machine: asks for quadruples, gets them, is evaluated
"""
