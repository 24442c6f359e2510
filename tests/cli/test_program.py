"""The installed program, as a process: entry point, pipes, signals, encodings."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO

import pytest
from tests.cli.samples import EVENT

PROGRAM = Path(sys.executable).with_name("triplewire")
COMMANDS = ("match", "explain", "subsumes", "covers")


def call(*args: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *args], capture_output=True, timeout=120, check=False, **options)


def test_version(run):
    assert run("--version").stdout == f"triplewire {version('triplewire')}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(run, command):
    for flag in ("--help", "-h"):
        result = run(command, flag)
        assert result.exit_code == 0
        assert "Examples" in result.stdout
        assert f"triplewire {command} " in result.stdout


def test_help_lists_the_commands_and_the_exit_codes(run):
    shown = run("--help").stdout
    assert all(command in shown for command in COMMANDS)
    assert "Exit codes" in shown


def test_the_installed_program_matches_from_a_pipe(workspace):
    done = call("match", "-s", "good.rq", "-e", "-", "-f", "json", input=EVENT.encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b'{"subscription":"good","event":"urn:event:1",')


def test_a_bad_call_leaves_no_traceback(workspace):
    done = call("match", "-s", "good.rq", "-e", "nowhere.nq")
    assert done.returncode == 1
    assert done.stdout == b""
    assert b"nowhere.nq" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("form", ["json", "table"])
def test_a_reader_that_goes_away_is_no_drama(workspace, form):
    many = "".join(EVENT.replace("event:1", f"event:{n}") for n in range(2_000))
    (workspace / "many.nq").write_text(many)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as broken:
        done = subprocess.run(
            [PROGRAM, "match", "-s", "good.rq", "-e", "many.nq", "-f", form],
            stdout=broken,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("redirection", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_drama(workspace, redirection):
    command = f'"{PROGRAM}" match -s good.rq -e good.nq -f json {redirection}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize(("args", "code"), [("match -s good.rq -e good.nq", 1), ("subsumes good.rq good.rq", 2)])
def test_a_full_disk_is_told(workspace, args, code):
    done = subprocess.run(
        ["sh", "-c", f'"{PROGRAM}" {args} > /dev/full'], capture_output=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (code, b"error: No space left on device\n")


def _once_read(pipe: Path, process: subprocess.Popen) -> BinaryIO:
    """The writing end, as soon as the program has opened the pipe for reading."""
    while process.poll() is None:
        try:
            return os.fdopen(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK), "wb")
        except OSError:
            time.sleep(0.02)
    raise AssertionError(f"ended before it read: {process.stderr.read()}")


def _interrupted(process: subprocess.Popen) -> tuple[bytes, bytes]:
    """What the program said. A signal that comes just before a read waits for its end, so it is sent again."""
    for _ in range(12):
        process.send_signal(signal.SIGINT)
        try:
            return process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            continue
    process.kill()
    raise AssertionError("still there after twelve interrupts")


def test_an_interrupt_while_it_waits_for_input_exits_with_130(workspace):
    os.mkfifo(workspace / "slow.nq")
    command = [PROGRAM, "match", "-s", "good.rq", "-e", "slow.nq"]
    # A shell's background job ignores interrupts, and so would its children: this one must not.
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with _once_read(workspace / "slow.nq", process):
        out, err = _interrupted(process)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_output_that_the_terminal_cannot_show_is_escaped(workspace):
    (workspace / "é.nq").write_text(EVENT.replace("Koubarakis", "Κουμπαράκης"), encoding="utf-8")
    (workspace / "all.rq").write_text("SELECT ?o { ?s ?p ?o }")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = call("match", "-s", "all.rq", "-e", "é.nq", env=environment)
    assert done.returncode == 0, done.stderr
    assert b"\\u039a" in done.stdout
