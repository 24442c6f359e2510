"""A workspace with good files, and the command line as a function."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.samples import EVENT, FORMULA, QUERY
from typer.testing import CliRunner

from triplewire.cli.app import app


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch) -> Path:
    """A folder, and the current one, so that messages name short paths."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.nq").write_text(EVENT)
    (tmp_path / "good.rq").write_text(QUERY)
    (tmp_path / "good.formula").write_text(FORMULA)
    return tmp_path


@pytest.fixture
def run():
    """Call the command line: `run("match", "--events", "a.nq")`."""

    def call(*args: str, stdin: str | bytes | None = None):
        return CliRunner().invoke(app, list(args), input=stdin)

    return call
