"""What SIGTERM and SIGINT do, from the first moment of a start to the end.

While a node opens its folder there is nobody to be answered, and a folder survives a kill at any moment (row F1): a
signal ends the process at once, however long the opening would take. Once the server is there, the signal is its to
handle: listening ends, requests that were begun are answered, and the folder is let go.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import NoReturn, Self

Handler = Callable[[int, FrameType | None], object]
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def leave(number: int, _: FrameType | None) -> NoReturn:
    """End the process now."""
    sys.stdout.flush()
    os.write(sys.stderr.fileno(), f"ended by {signal.Signals(number).name} before the node was up\n".encode())
    # Not sys.exit: that would wait for the threads that open the folder.
    os._exit(0)


class Signals:
    """Handles the signals inside a `with`; they call `leave` until another handler is set."""

    def __init__(self) -> None:
        self._handler: Handler = leave
        self._before: dict[int, object] = {}

    def lead_to(self, handler: Handler) -> None:
        """From now on a signal calls this."""
        self._handler = handler

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._caught) for number in _SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _caught(self, number: int, frame: FrameType | None) -> None:
        self._handler(number, frame)
