"""The workload of simulated peers: random queries, offers and facts, and scenarios with faults.

facts         queries, offers and facts: integers under named properties
random_facts  random queries, offers and facts
rdf_encoding  queries, offers and facts encoded as SPARQL, Turtle and N-Quads
reasoner      an exact and fast reasoner for them
scenarios     random scenarios, and their runner
"""
