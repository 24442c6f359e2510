"""Servers that a benchmark starts: a port that is free, and the moment at which somebody listens there."""

from __future__ import annotations

import socket
import subprocess
import time

_LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """A port of loopback that nobody uses."""
    with socket.socket() as probe:
        probe.bind((_LOOPBACK, 0))
        return int(probe.getsockname()[1])


def has_started(port: int, process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait until the process listens. False: it has ended, or the time is over."""
    until = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection((_LOOPBACK, port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return True
    return False
