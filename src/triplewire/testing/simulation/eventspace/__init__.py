"""Simulated event spaces.

answers     answers as text, and what the oracle answers
checker     the properties of section 3.2 of the EventCloud paper, over a history
disk        the disk of a simulated node
history     the records of a run
host        a member of the space in a process, with its disk; commits, then sends
inspection  what lies where: tiling, quadruples, replicas
runs        a whole run from a seed: scenario, history, outcome
scenarios   random scenarios, and their runner
tables      a history in tables
workload    random events and subscriptions
world       nodes of a space and their clients, in time and on a network
"""

from __future__ import annotations

from triplewire.testing.simulation.checking import Violation, explained
from triplewire.testing.simulation.eventspace.checker import SpaceChecker
from triplewire.testing.simulation.eventspace.runs import RunOutcome, run
from triplewire.testing.simulation.eventspace.scenarios import Scenario, random_scenario
from triplewire.testing.simulation.eventspace.world import SpaceWorld
from triplewire.testing.simulation.faults import RELIABLE, UNRELIABLE, FaultModel

__all__ = [
    "RELIABLE",
    "UNRELIABLE",
    "FaultModel",
    "RunOutcome",
    "Scenario",
    "SpaceChecker",
    "SpaceWorld",
    "Violation",
    "explained",
    "random_scenario",
    "run",
]
