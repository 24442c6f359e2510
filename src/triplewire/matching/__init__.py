"""Which subscriptions does this event satisfy?

matcher      the front door: add, remove, match
candidates   which subscriptions could match: an index over what they require
view         one event, its triples found by any positions
join, fast   the fast lane: patterns and constraints
general      the general lane: Oxigraph on one event (standard, absent, opaque, rewriting, functions,
             aggregates, datasets)
work, worker, budget    what an evaluation may cost, and how it is stopped
templates    CONSTRUCT
explain, wording        what is required, and why an event did not match
"""

from triplewire.matching.explain import Explanation, explain, why_not
from triplewire.matching.matcher import Matcher, Stats
from triplewire.matching.matches import Match, Solution

__all__ = ["Explanation", "Match", "Matcher", "Solution", "Stats", "explain", "why_not"]
