"""Which subscriptions does this event satisfy?

matcher          the front door: add, remove, match, save, open
compiler         compiles subscriptions for a matcher in another process
matches          what one subscription has to say about one event
batch            what a batch of events matched: columns first, objects on demand
arrow_columns    the same as Arrow arrays, without an object per term
scanning         from N-Quads bytes to flat tables, within limits, and back to terms
segments         subscriptions as flat arrays, from the first draft to merging and to files on disk
kernels          what numba compiles: scan, index, search
evaluation       one subscription on one event, in plain Python, within a budget
general          the general lane: all of SPARQL, evaluated by operators on one event
chains           subscriptions as chains of sub-subscriptions, and the quads that concern them
reasons          what each solution of a match stands on: quads of the event, and what follows by the taxonomy
explain          what a subscription requires, and why an event does not satisfy it, in words for people
near_misses      which of the events that do not satisfy a subscription came closest
constraint_text  how a condition reads, and how a binding fails it
warm_up          compiles every kernel once, for the runs to come
"""

from triplewire.matching.compiler import Compiler
from triplewire.matching.explain import Explanation, MatchVerdict, explain, why, why_not
from triplewire.matching.matcher import Matcher, Stats
from triplewire.matching.matches import Match, Solution

__all__ = [
    "Compiler",
    "Explanation",
    "Match",
    "MatchVerdict",
    "Matcher",
    "Solution",
    "Stats",
    "explain",
    "why",
    "why_not",
]
