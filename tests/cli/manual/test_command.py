"""`triplewire man`, and completion: both come from the program itself."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from triplewire.cli.app import app
from triplewire.cli.manual.entries import entries


def test_a_page_for_every_command(run, tmp_path: Path):
    done = run("man", "--out", str(tmp_path))
    assert done.exit_code == 0
    written = {path.name for path in (tmp_path / "man1").iterdir()}
    assert written == {f"{entry.name.replace(' ', '-')}.1" for entry in entries(typer.main.get_command(app))}
    assert f"{len(written)} manual pages" in done.stdout
    page = (tmp_path / "man1" / "triplewire-rules-check.1").read_text("utf-8")
    assert "\\-\\-schema" in page
    assert "\\fBtriplewire\\-rules\\fR(1)" in page


def test_pages_are_replaced(run, tmp_path: Path):
    old = tmp_path / "man1" / "triplewire-match.1"
    old.parent.mkdir()
    old.write_text("old")
    assert run("man", "--out", str(tmp_path)).exit_code == 0
    assert old.read_text("utf-8").startswith(".TH")


def test_a_file_in_the_way_is_an_error(run, tmp_path: Path):
    (tmp_path / "man1").write_text("")
    done = run("man", "--out", str(tmp_path))
    assert done.exit_code == 1
    assert "man1" in done.stderr


@pytest.mark.parametrize(
    ("words", "there"),
    [("triplewire ru", "rules"), ("triplewire rules c", "check"), ("triplewire match --keep", "--keep-going")],
)
def test_the_shell_completes_commands_and_options(words: str, there: str):
    environment = {
        "_TRIPLEWIRE_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    done = CliRunner().invoke(app, [], env=environment, prog_name="triplewire")
    assert there in done.stdout.split()
