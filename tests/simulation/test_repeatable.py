"""A seed gives the same run in another process too, whatever that process hashes strings to."""

from __future__ import annotations

import os
import subprocess
import sys

_RUN = "from triplewire.testing.simulation import run; print([run(seed).digest for seed in (7, 12, 40)])"


def _digests(hash_seed: int) -> str:
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    done = subprocess.run([sys.executable, "-c", _RUN], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_seed_gives_the_same_run_in_every_process() -> None:
    assert _digests(1) == _digests(2)
