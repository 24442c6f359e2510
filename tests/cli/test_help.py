"""Help as people see it on a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from triplewire.cli.app import app


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command, with the words that call it."""
    for name, part in getattr(command, "commands", {}).items():
        yield from leaves(part, (*path, name))
    if not hasattr(command, "commands"):
        yield path, command


COMMANDS = dict(leaves(typer.main.get_command(app)))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_80_columns_cut_no_option_name(run, monkeypatch, path):
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    monkeypatch.setenv("COLUMNS", "80")
    shown = run(*path, "--help").stdout
    assert max(map(len, shown.splitlines())) <= 80
    words = set(shown.replace(",", " ").split())
    names = {name for option in COMMANDS[path].params for name in (*option.opts, *option.secondary_opts)}
    assert {name for name in names if name.startswith("--")} <= words


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_shows_an_example(run, path):
    shown = run(*path, "--help").stdout
    assert "Example" in shown
    assert f"triplewire {path[0]}" in shown.partition("Example")[2]
