"""The pipeline's commands as a caller meets them, before Spark has anything to do with it."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from typer.main import get_command

from triplewire.cli.app import app

COMMANDS = sorted(get_command(app).commands["pipeline"].commands)


def test_the_jobs_are_there():
    assert {"match", "stream", "backfill", "replay", "profile", "compact"} <= set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_s_help_has_an_example_that_calls_it(run, command):
    shown = run("pipeline", command, "--help").stdout
    _, examples = shown.split("Examples", 1)
    assert re.search(rf"triplewire pipeline {command} .*-", examples)


def test_help_does_not_wait_for_spark():
    program = (
        "import sys; from triplewire.cli.app import app; app(['pipeline', 'match', '--help'], standalone_mode=False)"
    )
    check = f"{program}; sys.exit('pyspark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, check=False)
    assert done.returncode == 0
