"""A rate-limited log, for lines that others can cause: one a second for each reason, with the number of the rest."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

_SECONDS = 1.0


class RateLimitedLog:
    """A logger with at most one line a second for each reason."""

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._last: dict[str, float] = {}
        self._unsaid: Counter[str] = Counter()

    def warning(self, reason: str, text: str, *details: object, exc_info: Any = None) -> None:
        self._say(logging.WARNING, reason, text, details, exc_info)

    def error(self, reason: str, text: str, *details: object, exc_info: Any = None) -> None:
        self._say(logging.ERROR, reason, text, details, exc_info)

    def _say(self, level: int, reason: str, text: str, details: tuple[object, ...], exc_info: Any) -> None:
        now = self._clock()
        if now - self._last.get(reason, -_SECONDS) < _SECONDS:
            self._unsaid[reason] += 1
            return
        self._last[reason] = now
        unsaid = self._unsaid.pop(reason, 0)
        more = f" (and {unsaid} more before)" if unsaid else ""
        self._log.log(level, text + more, *details, exc_info=exc_info)
