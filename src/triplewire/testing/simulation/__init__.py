"""Whole networks of super-peers on a virtual clock, repeatable from a seed.

World        time, a network, and processes that crash and start again; the super-peers in them are the real ones
faults       what the network does to messages
schedule     random histories
Checker      whether a history is right, judged from the history alone
run          all of it, from a seed to a verdict
Traffic      who sent what to whom, to count it
"""

from __future__ import annotations

from triplewire.testing.simulation.checker import Checker, Violation, explained
from triplewire.testing.simulation.dialect import Dialect
from triplewire.testing.simulation.facts import Fact, Offer, Query, Span
from triplewire.testing.simulation.faults import FINE, ROUGH, Weather
from triplewire.testing.simulation.runs import Outcome, run
from triplewire.testing.simulation.schedule import Plan, drawn_plan, hard_plan
from triplewire.testing.simulation.traffic import Traffic, depths
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
