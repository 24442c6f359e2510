"""Which subscriptions does this event satisfy?

matcher, batch          the front door: add, remove, match, save, open; and what a batch of events matched
engine, statistics      segments as they live, merged behind the readers; what events look like
segments     subscriptions as flat arrays: encoding, merging, searching; the taxonomy as they see it
kernels      what is compiled: scan, localise, gather, verify; anchors and guards
scanner, strict, bounds, reading    from bytes to tables, what is too large in them, and back to terms
snapshots    a segment as a folder that processes share
view         one event, its triples found by any positions
plans, join, fast       the exact path of the fast lane: patterns and constraints
general      the general lane: Oxigraph on one event (standard, absent, opaque, rewriting, functions,
             aggregates, datasets)
evaluators, isolation   where the general lane is evaluated: here, or in a process that may crash
work, long_durations, worker, budget, quarantine    what an evaluation may cost, and how it is stopped
templates    CONSTRUCT
explain, anchoring, wording     what is required, and why an event did not match
interpreting, compiling, warm_up
             what is done without kernels; a word when they are compiled; compile all of them once
"""

from triplewire.matching.explain import Explanation, Verdict, explain, why, why_not
from triplewire.matching.matcher import Matcher, Stats
from triplewire.matching.matches import Match, Solution

__all__ = ["Explanation", "Match", "Matcher", "Solution", "Stats", "Verdict", "explain", "why", "why_not"]
