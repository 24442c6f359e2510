"""What keeps Spark from starting is said in one sentence, before anything is started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from triplewire.cli.app import app
from triplewire.errors import SparkUnavailable
from triplewire.pipeline.session import require_java, require_master


def java_that_says(folder: Path, words: str) -> None:
    program = folder / "bin" / "java"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho '{words}' >&2\n")
    program.chmod(0o755)


def test_no_java(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(SparkUnavailable, match="wants Java 17 or later, found no java in JAVA_HOME"):
        require_java()


@pytest.mark.parametrize(("words", "found"), [('openjdk version "1.8.0_392"', "found 8"), ("hello", "says 'hello'")])
def test_another_java(monkeypatch, tmp_path, words, found):
    java_that_says(tmp_path, words)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(SparkUnavailable, match=found):
        require_java()


def test_a_master_that_cannot_be_reached():
    with pytest.raises(SparkUnavailable, match=r"wanted a Spark master at spark://127\.0\.0\.1:1, found none"):
        require_master("spark://127.0.0.1:1")


@pytest.mark.parametrize("master", ["spark://nonsense", "spark://", "spark://a:b"])
def test_a_master_that_is_no_address(master):
    with pytest.raises(SparkUnavailable, match="is not HOST:PORT"):
        require_master(master)


def test_the_library_needs_no_spark():
    program = "import sys, triplewire, triplewire.cli.app; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], env=os.environ, check=False).returncode == 0


class TestCommandLine:
    """Bad calls end in one sentence and an exit code."""

    def call(self, *arguments: str):
        return CliRunner().invoke(app, ["pipeline", *arguments])

    def asked(self, tmp_path: Path) -> list[str]:
        return ["match", "--events", "x.nq", "--subscriptions", "s.rq", "--out", str(tmp_path / "lake")]

    def test_no_java(self, monkeypatch, tmp_path):
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        done = self.call(*self.asked(tmp_path))
        assert (done.exit_code, "wants Java 17" in done.stderr) == (1, True)
        assert not (tmp_path / "lake").exists()

    def test_an_unreachable_master(self, tmp_path):
        done = self.call(*self.asked(tmp_path), "--master", "spark://127.0.0.1:1")
        assert (done.exit_code, "found none" in done.stderr) == (1, True)

    def test_a_setting_that_is_none(self, tmp_path):
        done = self.call(*self.asked(tmp_path), "--conf", "nonsense")
        assert (done.exit_code, "--conf wants KEY=VALUE" in done.stderr) == (1, True)

    def test_a_missing_option(self):
        assert self.call("match").exit_code == 2
