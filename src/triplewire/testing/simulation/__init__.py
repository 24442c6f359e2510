"""Whole networks of super-peers on a virtual clock, repeatable from a seed.

disk       what a simulated access point has on its disk
faults     what a simulated network does to messages
histories  what happened in a run, and whether it is right
host       a super-peer in a process, with its disk and its local peers
network    it delivers, counts, and can be cut
process    it starts, crashes, stalls, and has a clock and a disk that takes its time
runs       a whole run from a seed: play it, let it settle, judge it
timeline   what is due is done in order, and nothing waits
trace      what was sent, to count it, to look at the end of it, and to tell whether two runs were the same
traffic    who sent what to whom, subscription by subscription and event by event
workload   queries, offers and facts, drawn by chance
world      a world with its own time, in which super-peers talk over a network that somebody breaks
"""

from __future__ import annotations

from triplewire.testing.simulation.faults import FINE, ROUGH, Weather
from triplewire.testing.simulation.histories.checker import Checker, Violation, explained
from triplewire.testing.simulation.runs import Outcome, run
from triplewire.testing.simulation.traffic import Traffic, depths
from triplewire.testing.simulation.workload.dialect import Dialect
from triplewire.testing.simulation.workload.facts import Fact, Offer, Query, Span
from triplewire.testing.simulation.workload.schedule import Plan, drawn_plan, hard_plan
from triplewire.testing.simulation.world import World

__all__ = [
    "FINE",
    "ROUGH",
    "Checker",
    "Dialect",
    "Fact",
    "Offer",
    "Outcome",
    "Plan",
    "Query",
    "Span",
    "Traffic",
    "Violation",
    "Weather",
    "World",
    "depths",
    "drawn_plan",
    "explained",
    "hard_plan",
    "run",
]
