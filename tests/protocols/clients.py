"""Other people's clients, as `scripts/protocols/fetch` has brought them, as processes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

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
