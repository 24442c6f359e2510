"""The signal that stops a stream: it finishes its micro-batch, and begins none."""

from __future__ import annotations

import threading


class StopSignal:
    """Set once, to end the stream; looked at by everything that waits."""

    def __init__(self) -> None:
        self._asked = threading.Event()

    @property
    def asked(self) -> bool:
        return self._asked.is_set()

    def ask(self) -> None:
        """Stop after the micro-batch that is under way."""
        self._asked.set()

    def wait(self, seconds: float) -> bool:
        """Wait; whether the stop was asked for meanwhile."""
        return self._asked.wait(seconds)
