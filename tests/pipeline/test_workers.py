"""The Python of Spark's workers: the one that is asked for, and a sentence if it lacks Triplewire."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

_PROGRAM = """
import sys
from triplewire.errors import PipelineError
from triplewire.pipeline import SessionSettings, register, spark_session

with spark_session(SessionSettings(master="local[1]", conf={"spark.pyspark.python": sys.argv[1]})) as spark:
    print(spark.sparkContext.pythonExec)
    try:
        register(spark)
    except PipelineError as problem:
        print(problem)
"""


@pytest.mark.parametrize(
    ("python", "told"),
    [
        ("{bare}", "Spark's workers cannot import Triplewire: No module named "),
        ("{missing}", 'Spark could not finish: Cannot run program "{missing}"'),
    ],
)
def test_register_says_what_the_workers_lack(tmp_path, python, told):
    """Whatever PYSPARK_PYTHON says: the setting is the more particular of the two."""
    venv.create(tmp_path / "bare", with_pip=False)
    names = {"bare": tmp_path / "bare" / "bin" / "python", "missing": tmp_path / "no" / "python"}
    outcome = answered(python.format(**names))
    assert outcome[0] == python.format(**names)
    assert outcome[1].startswith(told.format(**names))


def answered(python: str) -> list[str]:
    # The driver finds Triplewire by its search path, which workers of a local session would inherit.
    program = f"import sys; sys.path[:0] = {sys.path!r}\n{_PROGRAM}"
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", program, python],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(python).anchor,
        env=environment | {"PYSPARK_PYTHON": sys.executable},
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
