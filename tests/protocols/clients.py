"""Other people's clients, as `scripts/protocols/fetch` has brought them, as processes."""

from __future__ import annotations

import json
import os
import queue
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

FOLDER = Path(os.environ.get("TRIPLEWIRE_PROTOCOL_CLIENTS", ".venv/protocols")).absolute()
PATIENCE = 120


def program(name: str) -> Path:
    """A program that npm has installed."""
    found = FOLDER / "node_modules" / ".bin" / name
    assert found.exists(), f"wanted {found}; `make test-protocols` brings it"
    return found


def call(name: str, *arguments: str, folder: Path) -> str:
    """Run a program to its end, and return what it printed."""
    command = [str(program(name)), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Driver:
    """A package of JavaScript in a process of its own, which says what happens, one JSON object a line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: queue.Queue[str] = queue.Queue()
        Thread(target=self._listen, daemon=True).start()

    def said(self, event: str) -> dict[str, Any]:
        """The next thing that it says, which has to be this."""
        found: dict[str, Any] = json.loads(self._lines.get(timeout=PATIENCE))
        assert found["event"] == event, found
        return found

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)


@contextmanager
def driver(script: Path, *arguments: str) -> Iterator[Driver]:
    """A script that runs until the block ends."""
    command = ["node", str(script), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Driver(process)
        finally:
            process.kill()
