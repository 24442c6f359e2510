"""A node as its own process, on a free port of loopback, ended by its process id."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from triplewire.cli.node.processes import free_port


class Process:
    """A node that runs. `secret` is the administrator's, if it has one."""

    def __init__(self, folder: Path, *flags: str, port: int | None = None) -> None:
        self.folder = folder
        self.flags = flags
        self.port = port or free_port()
        self.secret: str | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "triplewire", "serve", "--data", str(self.folder), "--port", str(self.port)]
        self.output = (self.folder.parent / f"{self.folder.name}.log").open("ab")
        self.process = subprocess.Popen([*command, *self.flags], stdout=self.output, stderr=self.output)
        try:
            self._wait()
        except BaseException:
            self.stop(signal.SIGKILL)
            raise

    def _wait(self) -> None:
        for _ in range(4000):
            if self.process.poll() is not None:
                raise AssertionError(f"the node ended with {self.process.returncode}: {self.words()}")
            try:
                with urllib.request.urlopen(f"{self.url}/health", timeout=60):
                    return
            except OSError:
                time.sleep(0.1)
        raise AssertionError(f"wanted a node within minutes, found none: {self.words()}")

    def words(self) -> str:
        return Path(self.output.name).read_text()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it, and return its exit code."""
        if self.process.poll() is None:
            os.kill(self.process.pid, number)
        code = self.process.wait(60)
        self.output.close()
        return code


@contextmanager
def running(folder: Path, *flags: str, port: int | None = None) -> Iterator[Process]:
    """A node that runs until the block ends."""
    node = Process(folder, *flags, port=port)
    node.start()
    try:
        yield node
    finally:
        node.stop()
