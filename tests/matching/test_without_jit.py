"""The kernels are Python, too: with the JIT switched off they give the same answers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.matching.sample_answers import answers

ROOT = Path(__file__).parents[2]


def test_the_same_answers_without_the_jit() -> None:
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    run = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", str(Path(__file__).with_name("sample_answers.py"))],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == list(answers())
    assert len(run.stdout.splitlines()) > 30
