"""Path options take paths and URIs of any storage; what nobody here reads is refused before any work."""

from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner

from triplewire.cli.app import app
from triplewire.cli.pipeline.group import app as pipeline

_METAVARS = ("PATH", "LAKE", "FOLDER", "FILE")


def path_options() -> list[tuple[str, str, list[str]]]:
    """Every option of every command that takes a path, with the others that the command asks for."""
    commands = typer.main.get_command(pipeline).commands
    found = []
    for name, command in commands.items():
        for option in command.params:
            if (option.metavar or "").rstrip(".") in _METAVARS:
                others = [p for p in command.params if p.required and p is not option]
                found.append((name, option.opts[0], [word for p in others for word in (p.opts[0], "2024-05-01")]))
    return found


@pytest.mark.parametrize(("command", "option", "others"), path_options(), ids=lambda value: str(value))
def test_a_path_option_refuses_a_storage_that_nobody_reads_as_a_wrong_call(
    command, option, others, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["pipeline", command, option, "ftp://host/x", *others])
    assert done.exit_code == 2
    assert "ftp://host/x" in done.stderr
    assert option in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "option"),
    [("profile", "--out"), ("match", "--contexts"), ("stream", "--checkpoint"), ("stream", "--secret-file")],
)
def test_what_must_be_on_this_machine_is_refused_elsewhere(command, option):
    others = {entry[1]: entry[2] for entry in path_options() if entry[0] == command}[option]
    done = CliRunner().invoke(app, ["pipeline", command, option, "s3://bucket/x", *others])
    assert done.exit_code == 2
    assert "wanted a path on this machine" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("given", "said"),
    [("AWS_REGION", "wants KEY=VALUE"), ("fs.s3a.key=x", "AWS_ACCESS_KEY_ID"), ("AWS_ACCESS_KEY_ID=x", "alone")],
)
def test_a_storage_option_that_is_none_is_refused(given, said, tmp_path, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    told = ["pipeline", "vacuum", "--lake", "s3://bucket/lake", "--storage-option", given]
    done = CliRunner().invoke(app, told)
    assert done.exit_code != 0
    assert said in " ".join((done.stderr + str(done.exception)).split())
