"""How a stream is told to stop: it finishes its micro-batch, and begins none."""

from __future__ import annotations

import threading


class StopSignal:
    """Set once, by whoever wants the stream to end; looked at by everything that waits."""

    def __init__(self) -> None:
        self._asked = threading.Event()

    @property
    def asked(self) -> bool:
        return self._asked.is_set()

    def ask(self) -> None:
        """Stop after the micro-batch that is under way."""
        self._asked.set()

    def wait(self, seconds: float) -> bool:
        """Wait, and tell whether somebody asked meanwhile."""
        return self._asked.wait(seconds)
