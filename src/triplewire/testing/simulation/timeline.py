"""Virtual time: an event queue that runs without waiting."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count
from typing import Any


class Timeline:
    """
    >>> time = Timeline()
    >>> time.later(2, print, "second"); time.later(1, print, "first")
    >>> time.run_for(10)
    first
    second
    >>> time.now
    10.0
    """

    def __init__(self) -> None:
        self.now = 0.0
        self._queue: list[tuple[float, int, Callable[..., object], tuple[Any, ...]]] = []
        self._numbers = count()

    def later(self, seconds: float, action: Callable[..., object], *arguments: Any) -> None:
        """Do something after some seconds."""
        self.at(self.now + seconds, action, *arguments)

    def at(self, moment: float, action: Callable[..., object], *arguments: Any) -> None:
        """Do something at a moment; of two at the same, the one that was asked for first."""
        heapq.heappush(self._queue, (moment, next(self._numbers), action, arguments))

    def run_for(self, seconds: float) -> None:
        self.run_until(self.now + seconds)

    def run_until(self, moment: float) -> None:
        """Run until a time."""
        queue = self._queue
        while queue and queue[0][0] <= moment:
            self.now, _, action, arguments = heapq.heappop(queue)
            action(*arguments)
        self.now = moment

    def run_while(self, condition: Callable[[], bool], at_most: float, step: float = 0.5) -> bool:
        """Run until the condition no longer holds; whether that came in time."""
        end = self.now + at_most
        while condition():
            if self.now >= end:
                return False
            self.run_for(step)
        return True
