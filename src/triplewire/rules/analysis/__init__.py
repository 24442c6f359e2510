"""What can be said of rules without running them (Papamarkos et al., sections 2.4, 2.5 and 3).

analysis    all of it for one rule base under a schema, and whether it terminates
bits        sets of small numbers as integers, one bit each
cascades    an action part with the rules that it may trigger, and what all of it reads and writes together
conditions  the conditions of sections 2.4 and 2.5, each answered with its reason, and one more
conflicts   pairs of rules that may be triggered at the same time, are not ordered, and do not commute (section 2.5)
digraphs    components, reachability and cycles of a directed graph whose edges are sets of numbers
footprints  what a rule waits for, reads and writes, as sets of schema triples (section 2.4)
liveness    rules that can never fire, whatever a repository of this schema holds
pitfalls    rules that do what they say, and hardly what was meant
relevance   whether a part of a rule concerns a schema (section 3): e-, c- and a-relevance
triggering  the triggering graph: which rules may trigger which (section 2.4)
"""

from __future__ import annotations

from triplewire.rules.analysis.analysis import Analysis
from triplewire.rules.analysis.conditions import Commutes, WellDefined
from triplewire.rules.analysis.conflicts import Conflict
from triplewire.rules.analysis.footprints.extents import Instances, SchemaTriple
from triplewire.rules.analysis.pitfalls import Pitfall
from triplewire.rules.analysis.relevance import a_relevant, c_relevant, e_relevant, event_needs
from triplewire.rules.analysis.triggering import Trigger

__all__ = [
    "Analysis",
    "Commutes",
    "Conflict",
    "Instances",
    "Pitfall",
    "SchemaTriple",
    "Trigger",
    "WellDefined",
    "a_relevant",
    "c_relevant",
    "e_relevant",
    "event_needs",
]
