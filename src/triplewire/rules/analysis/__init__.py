"""What can be said of rules without running them (Papamarkos et al., sections 2.4, 2.5 and 3).

extents       what is read and written: schema triples and classes, as sets of bits
paths, arcs   nodes(v, S), triples(t, S) and triplesQueried, followed through the schema
events, actions, footprints   what the parts of a rule, and a whole rule, wait for, read and write
triggering    which rules may trigger which, and the cycles
cascades      what follows an action part
conditions    I1, I2, C1, C2, and what the paper leaves open
conflicts     which pairs of a whole rule base do not commute
liveness      rules that can never fire
relevance     e-, c- and a-relevance to a part of the schema
analysis      all of it for one rule base
"""

from __future__ import annotations

from triplewire.rules.analysis.analysis import Analysis
from triplewire.rules.analysis.conditions import Commutes, WellDefined
from triplewire.rules.analysis.conflicts import Conflict
from triplewire.rules.analysis.extents import Instances, SchemaTriple
from triplewire.rules.analysis.relevance import a_relevant, c_relevant, e_relevant
from triplewire.rules.analysis.triggering import Trigger

__all__ = [
    "Analysis",
    "Commutes",
    "Conflict",
    "Instances",
    "SchemaTriple",
    "Trigger",
    "WellDefined",
    "a_relevant",
    "c_relevant",
    "e_relevant",
]
