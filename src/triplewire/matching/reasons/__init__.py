"""What each solution of a match stands on: quads of the event, and what follows from them by the taxonomy.

match_reasons  for each solution a reason, whatever the lane; under a budget, since somebody waits
fast_lane      the binding that makes the solution says which quads they are
general_lane   the fewest quads and axioms with which the query still has the solution
statements     quads and derivations as reasons
"""
