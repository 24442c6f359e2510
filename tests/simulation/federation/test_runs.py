"""Random runs by seed. `make test-rules-simulation RUNS=5000` plays more; a failure prints its seed and how it went.

`make test` plays the first forty, `make test-slow` the rest of the two hundred.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from triplewire.testing.simulation.federation import hard_scenario, random_scenario, run
from triplewire.testing.simulation.history import FaultInjected

RUNS = int(os.environ.get("TRIPLEWIRE_RULES_RUNS", "200"))
FIRST = int(os.environ.get("TRIPLEWIRE_FIRST_SEED", "0"))
AT_ONCE = 20
HARD = 25
QUICK = FIRST + 40
LOTS = [
    pytest.param(first, marks=[pytest.mark.slow] if first >= QUICK else [])
    for first in range(FIRST, FIRST + RUNS, AT_ONCE)
]


@pytest.mark.parametrize("first", LOTS)
def test_once_it_is_quiet_everything_is_there_or_compensated(first: int):
    outcomes = [run(seed) for seed in range(first, min(first + AT_ONCE, FIRST + RUNS))]
    wrong = [str(outcome) for outcome in outcomes if outcome.violation is not None]
    assert not wrong, wrong[0]
    # None of it says anything if nothing happens.
    assert sum(outcome.firings for outcome in outcomes) > AT_ONCE // 4
    assert sum(outcome.remote for outcome in outcomes) > 0
    assert sum(outcome.aborted for outcome in outcomes) > 0
    assert sum(outcome.sealed for outcome in outcomes) > AT_ONCE
    assert sum(outcome.was_compared for outcome in outcomes) >= AT_ONCE // 4


@pytest.mark.parametrize("seed", range(FIRST, FIRST + max(RUNS // HARD, 1)))
def test_hard_runs_are_right_too(seed: int):
    outcome = run(seed, hard_scenario(seed))
    assert outcome.violation is None, str(outcome)


def test_a_seed_gives_the_same_run_again():
    first, again, other = run(7), run(7), run(9)
    assert first.digest == again.digest
    assert first.history.records == again.history.records
    assert first.digest != other.digest


def test_a_seed_gives_the_same_run_in_another_process():
    """Sets of text are ordered differently in every process; nothing may show it."""
    code = "from triplewire.testing.simulation.federation import run; print(run(7).digest, run(8).digest)"
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


def test_scenarios_differ_by_seed():
    scenarios = [random_scenario(seed) for seed in range(100)]
    assert {scenario.size for scenario in scenarios} == {2, 3, 4, 5}
    assert {kind for scenario in scenarios for kind in scenario.faults} >= {
        "split",
        "crash",
        "peer",
        "withdraw",
        "join",
    }
    assert {scenario.is_calm for scenario in scenarios} == {True, False}


def test_faults_are_injected_while_transactions_run():
    # A run of an odd seed has faults at random, and may end before the first of them.
    histories = [run(seed).history for seed in range(1, 11, 2)]
    faults = [record for history in histories for record in history.records if isinstance(record, FaultInjected)]
    assert faults
