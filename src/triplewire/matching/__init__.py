"""Which subscriptions does this event satisfy?

anchors          under what can a subscription be filed? The index itself is asked, and so are the constants of
                 its patterns
arrow_columns    a batch's matches as Arrow arrays, made from the kernels' columns without an object per term
batch            what a batch of events matched: columns first, objects on demand
constraint_text  how a condition reads, and how a binding fails it
evaluation       one subscription on one event, evaluated in plain Python, within a budget
explain          what a subscription requires, and why an event does not satisfy it, in words for people
general          all of SPARQL, evaluated by Oxigraph on one event
kernels          numba, flat arrays, no Python objects
matcher          which subscriptions does this event satisfy?
matches          what one subscription has to say about one event
scanning         from N-Quads bytes to flat tables, within limits, and back to terms
segments         subscriptions as flat arrays, from the first draft to merging and to files on disk
warm_up          run everything once, on very little, so that every kernel is compiled and kept on disk for the
                 runs to come
"""

from triplewire.matching.explain import Explanation, MatchVerdict, explain, why, why_not
from triplewire.matching.matcher import Matcher, Stats
from triplewire.matching.matches import Match, Solution

__all__ = ["Explanation", "Match", "MatchVerdict", "Matcher", "Solution", "Stats", "explain", "why", "why_not"]
