"""Ctrl-C between calls into the JVM, not within one.

An exception in the midst of such a call can be swallowed by a finalizer, and leave a lock behind that nobody releases.
So within a call an interrupt is put off for a moment, again and again, until the call is over; one that does not end
is broken off after a while all the same.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

_AGAIN_SECONDS = 0.05
_PATIENCE_SECONDS = 10.0
_GATEWAY = "py4j"


@contextmanager
def patient_interrupts() -> Iterator[None]:
    """Put interrupts off while a call into the JVM is going on, in the block. Signals are the main thread's affair."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, _Patience())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def deferred_interrupts() -> Iterator[threading.Event]:
    """Let Ctrl-C set an event in the block, for code that looks at it between steps. Pressed again, it interrupts."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed
        return

    def note(*_: object) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


class _Patience:
    """A handler of the signal, which remembers since when it has been putting it off."""

    def __init__(self) -> None:
        self._since: float | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if not _within_call(frame) or (self._since is not None and now - self._since > _PATIENCE_SECONDS):
            self._since = None
            raise KeyboardInterrupt
        self._since = now if self._since is None else self._since
        later = threading.Timer(_AGAIN_SECONDS, os.kill, (os.getpid(), number))
        later.daemon = True
        later.start()


def _within_call(frame: FrameType | None) -> bool:
    while frame is not None:
        if _GATEWAY in Path(frame.f_code.co_filename).parts:
            return True
        frame = frame.f_back
    return False
