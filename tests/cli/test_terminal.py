"""On a terminal: a progress bar that is wiped, tables that fit, and colour only where it means something."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pty = pytest.importorskip("pty")

PROGRAM = Path(sys.executable).with_name("triplewire")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def on_a_terminal(*args: str, width: int = 60) -> str:
    """What the program writes when all its streams are a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        environment = {**os.environ, "COLUMNS": str(width), "TERM": "xterm"}
        environment.pop("NO_COLOR", None)
        os.execve(PROGRAM, [str(PROGRAM), *args], environment)
    written = bytearray()
    while piece := _read(terminal):
        written += piece
    os.waitpid(child, 0)
    os.close(terminal)
    return written.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that the other end has closed it
        return b""


def test_progress_is_shown_and_wiped_before_the_table(workspace):
    shown = on_a_terminal("match", "-s", "good.rq", "-e", "good.nq")
    before, table = shown.split("┏", 1)
    assert "matching" in before
    assert before.endswith("\x1b[2K")
    assert max(map(len, ESCAPES.sub("", "┏" + table).splitlines())) <= 60


def test_what_takes_long_is_said_in_80_columns(workspace):
    shown = on_a_terminal("generate", "--out", "data", "--events", "2000", "--subscriptions", "10", width=80)
    assert "writing" in shown
    assert max(map(len, ESCAPES.sub("", shown).replace("\r", "\n").splitlines())) <= 80
    read = on_a_terminal("match", "-s", "data/subscriptions.jsonl", "-e", "data/events", width=80)
    assert "reading" in read
    assert "preparing subscriptions" in read


def test_nobody_who_is_no_terminal_is_told_of_waiting(workspace):
    done = subprocess.run(
        [PROGRAM, "generate", "--out", "data", "--events", "10", "--subscriptions", "1"],
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""


def test_long_values_are_folded_and_never_cut(workspace):
    name = "urn:" + "long" * 40
    (workspace / "long.nq").write_text(f'<urn:a> <urn:b> "c" <{name}> .')
    (workspace / "all.rq").write_text("ASK { ?s ?p ?o }")
    shown = ESCAPES.sub("", on_a_terminal("match", "-s", "all.rq", "-e", "long.nq"))
    column = "".join(line.split("│")[2].strip() for line in shown.splitlines() if line.startswith("│"))
    assert column == name, shown


def test_only_the_word_error_is_coloured(workspace):
    assert on_a_terminal("explain", "nowhere.rq").startswith("\x1b[1;31merror: \x1b[0mnowhere.rq: ")


def test_a_first_small_match_compiles_nothing(workspace, tmp_path, monkeypatch):
    kernels = tmp_path / "kernels"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(kernels))
    command = [PROGRAM, "match", "-s", "good.rq", "-e", "good.nq", "--format", "json"]
    run = subprocess.run(command, capture_output=True, check=True)
    assert (run.stdout.count(b'"good"'), run.stderr) == (1, b"")
    assert not list(kernels.rglob("*.nbi"))
