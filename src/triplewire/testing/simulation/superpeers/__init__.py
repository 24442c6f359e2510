"""Simulated networks of super-peers.

disk       the disk of a simulated access point
histories  records of runs, and the checker
host       a super-peer in a process, with its disk and its local peers
packets    packets as a trace shows them
runs       a whole run from a seed: scenario, history, outcome
traffic    who sent what to whom, by subscription, event and broadcast
workload   random queries, offers, facts and scenarios
world      super-peers and their peers, in time and on a network
"""

from __future__ import annotations

from triplewire.testing.simulation.checking import Violation, explained
from triplewire.testing.simulation.faults import RELIABLE, UNRELIABLE, FaultModel
from triplewire.testing.simulation.superpeers.histories.checker import Checker
from triplewire.testing.simulation.superpeers.runs import RunOutcome, run
from triplewire.testing.simulation.superpeers.traffic import Traffic, depths
from triplewire.testing.simulation.superpeers.workload.facts import Fact, Offer, Query, Span
from triplewire.testing.simulation.superpeers.workload.rdf_encoding import RdfEncoding
from triplewire.testing.simulation.superpeers.workload.scenarios import Scenario, hard_scenario, random_scenario
from triplewire.testing.simulation.superpeers.world import World

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
