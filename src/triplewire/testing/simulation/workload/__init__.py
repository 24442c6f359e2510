"""The workload of simulated peers: random queries, offers and facts, and scenarios with faults.

dialect   queries, offers and facts encoded as SPARQL, Turtle and N-Quads
draws     random queries, offers and facts
facts     queries, offers and facts: integers under named properties
reasoner  an exact and fast reasoner for them
schedule  random scenarios, and their runner
"""
