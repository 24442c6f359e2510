"""Random histories by seed. `make test-simulation RUNS=5000` plays more; a failure prints its seed and how it went.

`make test` plays the first thirty, `make test-slow` the rest of the hundred.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from triplewire.network.routing.subscriptions.reasoner import AlgebraReasoner
from triplewire.testing.simulation.superpeers import RdfEncoding, Scenario, World, hard_scenario, random_scenario, run
from triplewire.testing.simulation.superpeers.runs import make_world

RUNS = int(os.environ.get("TRIPLEWIRE_RUNS", "100"))
FIRST = int(os.environ.get("TRIPLEWIRE_FIRST_SEED", "0"))
AT_ONCE = 10
HARD = 50
QUICK = FIRST + 30
LOTS = [
    pytest.param(first, marks=[pytest.mark.slow] if first >= QUICK else [])
    for first in range(FIRST, FIRST + RUNS, AT_ONCE)
]


@pytest.mark.parametrize("first", LOTS)
def test_every_owed_notification_is_made_once_and_nothing_else(first: int):
    owed = 0
    for seed in range(first, min(first + AT_ONCE, FIRST + RUNS)):
        outcome = run(seed)
        assert outcome.violation is None, str(outcome)
        owed += outcome.owed
    assert owed > 50


@pytest.mark.parametrize("seed", range(FIRST, FIRST + RUNS // HARD))
def test_hard_histories_are_right_too(seed: int):
    outcome = run(seed, hard_scenario(seed))
    assert outcome.violation is None, str(outcome)


@pytest.mark.parametrize("seed", [3, 4])
def test_messages_survive_the_wire(seed: int):
    def encoded(seed: int, scenario: Scenario) -> World:
        return World(seed, scenario.fault_model, encoded=True)

    outcome = run(seed, make=encoded)
    assert outcome.violation is None, str(outcome)
    assert outcome.digest == run(seed, make=make_world).digest


@pytest.mark.parametrize("seed", range(3))
def test_the_reasoner_of_real_super_peers_gives_the_same_guarantee(seed: int):
    def with_algebra(seed: int, scenario: Scenario) -> World:
        return World(seed, scenario.fault_model, encoding=RdfEncoding(AlgebraReasoner()))

    outcome = run(seed, make=with_algebra)
    assert outcome.violation is None, str(outcome)
    assert outcome.owed > 0


def test_a_seed_gives_the_same_run_again():
    first, again, other = run(11), run(11), run(12)
    assert first.digest == again.digest
    assert first.history.records == again.history.records
    assert first.digest != other.digest


@pytest.mark.parametrize("seed", [5])
def test_a_seed_gives_the_same_run_in_another_process(seed: int):
    """Sets of text are ordered differently in every process; nothing may show it."""
    code = f"from triplewire.testing.simulation.superpeers import run; print(run({seed}).digest)"
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": salt},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for salt in ("1", "2", "3")
    }
    assert len(digests) == 1


def test_plans_differ_by_seed_and_reach_from_two_super_peers_to_twelve():
    sizes = {random_scenario(seed).size for seed in range(100)}
    assert sizes == set(range(2, 13))
