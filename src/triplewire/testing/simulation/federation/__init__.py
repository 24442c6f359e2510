"""Simulated super-peers with rules, and their peers with repositories.

checker    whether a run was right, once it is quiet
history    the records of a run
host       a super-peer in a process that crashes, with its inputs on its disk
input_log  these inputs, with a snapshot before them
one_node   what one node would have made of the same schedule
peer_host  a peer that is not always there
runs       a whole run from a seed: scenario, history, outcome
scenarios  how large, which faults, and what peers do meanwhile
workload   random peers, rules and transactions
world      super-peers and peers, in time and on a network
"""

from __future__ import annotations

from triplewire.testing.simulation.federation.checker import FederationChecker
from triplewire.testing.simulation.federation.runs import RunOutcome, run
from triplewire.testing.simulation.federation.scenarios import Scenario, hard_scenario, random_scenario
from triplewire.testing.simulation.federation.world import FederationWorld

__all__ = ["FederationChecker", "FederationWorld", "RunOutcome", "Scenario", "hard_scenario", "random_scenario", "run"]
