"""`triplewire pipeline stream` as a process to be killed: from Kafka, into a lake and back to Kafka."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from msgspec import Struct
from tests.pipeline.samples import files_of

_ROOT = Path(__file__).parents[2]
_PATIENCE_SECONDS = 300.0


class Driver(Struct, frozen=True):
    """What the program is told."""

    lake: Path
    flags: tuple[str, ...]

    def run(self) -> None:
        """Stream until nothing is left."""
        subprocess.run(self._command, cwd=_ROOT, check=True)

    def killed_after(self, more: int) -> bool:
        """Start it, kill it and its JVM some micro-batches later; says whether it was still at work."""
        wanted = self._commits + more
        process = subprocess.Popen(self._command, cwd=_ROOT, start_new_session=True)
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while process.poll() is None and self._commits < wanted and time.monotonic() < deadline:
            time.sleep(0.02)
        was_running = process.poll() is None
        if was_running:
            time.sleep(random.random())
            # The group is the one that this process was started in: the driver and its JVM, nobody else.
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return was_running

    @property
    def _command(self) -> list[str]:
        asked = ["--out", str(self.lake), "--drain", "--master", "local[2]", *self.flags]
        return [sys.executable, "-m", "triplewire", "pipeline", "stream", *asked]

    @property
    def _commits(self) -> int:
        return len(files_of(self.lake, "runs"))
