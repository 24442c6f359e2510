"""A real node that may be killed, and whose disk may fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import httpx

from triplewire.cli.node.processes import free_port

# On a fresh clone the first start compiles the matcher's kernels.
_START_SECONDS = 400.0


class NodeProcess:
    """`triplewire serve`. Start it, talk to it through `http`, stop or kill it."""

    def __init__(self, data: Path, *flags: str, environment: Mapping[str, str] | None = None) -> None:
        self.port = free_port()
        self.log = data.with_suffix(".log")
        self._output = self.log.open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "triplewire", "serve", "--data", str(data), "--port", str(self.port), *flags],
            stdout=self._output,
            stderr=self._output,
            env={**os.environ, **(environment or {})},
        )
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=60, trust_env=False)
        self._wait()

    def stop(self) -> int:
        """Ask it to stop; returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.ended()

    def kill(self) -> None:
        """kill -9, in the middle of whatever it does."""
        self.process.kill()
        self.ended()

    def ended(self) -> int:
        """Wait for its end; returns its exit code."""
        code = self.process.wait(60)
        self.http.close()
        self._output.close()
        return code

    def _wait(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError(f"the node ended at once: {self.log.read_text()}")
            try:
                if self.http.get("/health").status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.05)
        self.process.kill()
        raise AssertionError(f"the node did not start: {self.log.read_text()}")
