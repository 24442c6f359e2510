"""SIGINT and SIGTERM for a job that can be asked to stop: the first asks, the second stops it at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triplewire.pipeline.jobs.stream import StopSignal

# As shells count: 130 is SIGINT, 143 is SIGTERM.
SIGNAL_CODE = 128
_STOPPING = b"\nstopping after this micro-batch; once more stops at once\n"


class ReceivedSignal:
    """The signal that came, if one did."""

    signal: int | None = None


@contextmanager
def stopped_by_signals(stop: StopSignal) -> Iterator[ReceivedSignal]:
    """Let signals stop the job in the block. Spark sets a handler of its own when it starts: do this afterwards."""
    received = ReceivedSignal()

    def handle(number: int, _: FrameType | None) -> None:
        if stop.asked:
            raise KeyboardInterrupt
        received.signal = number
        stop.ask()
        # A handler may come in the middle of any print: this one needs no lock.
        os.write(2, _STOPPING)

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
