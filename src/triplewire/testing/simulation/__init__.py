"""Whole networks of super-peers on a virtual clock, repeatable from a seed.

disk       the disk of a simulated access point
faults     the fault model of links
histories  histories of runs, and the checker
host       a super-peer in a process, with its disk and its local peers
network    delivers and traces packets, and injects faults
process    a process that starts, crashes and stalls, with a clock and a disk
runs       a whole run from a seed: scenario, history, outcome
timeline   virtual time
trace      counts and digest of a run, and its last messages
traffic    who sent what to whom, by subscription, event and broadcast
workload   random queries, offers, facts and scenarios
world      virtual time, network and processes put together
"""

from __future__ import annotations

from triplewire.testing.simulation.faults import RELIABLE, UNRELIABLE, FaultModel
from triplewire.testing.simulation.histories.checker import Checker, Violation, explained
from triplewire.testing.simulation.runs import RunOutcome, run
from triplewire.testing.simulation.traffic import Traffic, depths
from triplewire.testing.simulation.workload.facts import Fact, Offer, Query, Span
from triplewire.testing.simulation.workload.rdf_encoding import RdfEncoding
from triplewire.testing.simulation.workload.scenarios import Scenario, hard_scenario, random_scenario
from triplewire.testing.simulation.world import World

__all__ = [
    "RELIABLE",
    "UNRELIABLE",
    "Checker",
    "Fact",
    "FaultModel",
    "Offer",
    "Query",
    "RdfEncoding",
    "RunOutcome",
    "Scenario",
    "Span",
    "Traffic",
    "Violation",
    "World",
    "depths",
    "explained",
    "hard_scenario",
    "random_scenario",
    "run",
]
