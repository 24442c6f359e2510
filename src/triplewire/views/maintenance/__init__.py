"""Keeps the answer of a query up to date from what changes.

view           a query with its state: the stages that a change goes through
pattern_delta  what a change adds to the solutions of a pattern and removes from them
leaves         the places of a pattern that look at quads, and what of them a solution shows
seeds          from changed quads to what every changed solution extends
reach          which ends of a path a changed quad may concern
group_stage    groups that are kept
window         the first rows in order, and some more
results        what rows become: solutions, yes or no, triples
reasons        why a view gained or lost something
states         the states of a dataset around a change
provenance     which quads a solution stands on
path_edges     the quads of one way along a path
"""
