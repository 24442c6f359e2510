"""The shell of a reader who follows a page: each block is run as printed.

A fenced block marked `bash` is run by a shell of its own, all of a page in one folder. A node, and a program that is
started with `python3 … 127.0.0.1:PORT`, go on beside what follows, as in another terminal. Only ports are others.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from tests.node.processes import free_port

# A stream has no end of its own: curl leaves when its time is over.
TIMED_OUT = 28
PATIENCE = 300


def blocks_of(text: str) -> list[str]:
    """The blocks of a page, in its order."""
    return re.findall(r"^```bash\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


class Terminal:
    """Shells in one folder, with the ports of a page led to free ones. `programs` is where `triplewire` is."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self._folder = folder
        self._programs = programs
        self._ports: dict[str, int] = {}
        self._servers: list[subprocess.Popen[bytes]] = []

    def run(self, block: str) -> str:
        command = re.sub(r"(127\.0\.0\.1[: ]|--port )(\d{4})\b", lambda m: f"{m[1]}{self._port(m[2])}", block)
        if command.startswith("triplewire serve"):
            return self._serve(command)
        if command.startswith("python3 "):
            return self._go_on_beside(command)
        done = subprocess.run(
            ["bash", "-e", "-c", command],
            cwd=self._folder,
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode in ((0, TIMED_OUT) if "--max-time" in command else (0,)), f"{block}\n{done.stderr}"
        return done.stdout

    def _serve(self, command: str) -> str:
        port = re.search(r"--port (\d+)", command)
        url = f"http://127.0.0.1:{port[1] if port else self._port('8080')}"
        return self._start(command, lambda: _answers(url))

    def _go_on_beside(self, command: str) -> str:
        port = re.search(r"127\.0\.0\.1[: ](\d+)", command)
        assert port, command
        return self._start(command, lambda: _listens(int(port[1])))

    def _start(self, command: str, is_up: Callable[[], bool]) -> str:
        log = (self._folder / "server.log").open("ab")
        self._servers.append(
            subprocess.Popen(
                ["bash", "-c", f"exec {command}"], cwd=self._folder, env=self._environment(), stdout=log, stderr=log
            )
        )
        deadline = time.monotonic() + PATIENCE
        while not is_up():
            assert self._servers[-1].poll() is None, (self._folder / "server.log").read_text()
            assert time.monotonic() < deadline, (self._folder / "server.log").read_text()
            time.sleep(0.1)
        return ""

    def close(self) -> None:
        for server in self._servers:
            server.send_signal(signal.SIGTERM)
        for server in self._servers:
            server.wait(60)

    def _port(self, printed: str) -> int:
        return self._ports.setdefault(printed, free_port())

    def _environment(self) -> dict[str, str]:
        port = str(self._port("8080"))
        path = f"{self._programs}{os.pathsep}{os.environ['PATH']}"
        here = {"PATH": path, "TRIPLEWIRE_PORT": port, "TRIPLEWIRE_NODE": f"http://127.0.0.1:{port}"}
        return {**os.environ, **here}


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", timeout=5, trust_env=False).is_success
    except httpx.TransportError:
        return False


def _listens(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def terminal(folder: Path, programs: Path = Path(sys.executable).parent) -> Iterator[Terminal]:
    """A terminal that ends what it has started."""
    opened = Terminal(folder, programs)
    try:
        yield opened
    finally:
        opened.close()
