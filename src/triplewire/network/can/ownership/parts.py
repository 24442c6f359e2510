"""Numbered parts of something that is sent piece by piece, until the receiver has acknowledged them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

M = TypeVar("M")
_NEVER = float("-inf")
# How many parts are on their way at a time, and may come in the wrong order.
WINDOW = 16


class PartSender(Generic[M]):
    """Parts on their way. What is there already is read in chunks, as the window allows; what is new is added."""

    def __init__(self, retry: float) -> None:
        self._retry = retry
        self._parts: dict[int, M] = {}
        self._unsent = 0
        self._repeat_at = _NEVER
        self._exports: list[tuple[Iterator[bytes], Callable[[], None]]] = []
        self.next = 0
        self.acknowledged = -1
        """The last part of which the receiver has all before, too."""

    @property
    def is_done(self) -> bool:
        """Whether the receiver has everything so far."""
        return not self._parts and not self._exports

    def add(self, make: Callable[[int], M]) -> int:
        """Add a part, which is made from its number."""
        number = self.next
        self._parts[number] = make(number)
        self.next += 1
        return number

    def export(self, chunks: Iterator[bytes], at_end: Callable[[], None]) -> None:
        """Read these chunks, too, and call `at_end` after the last."""
        self._exports.append((chunks, at_end))

    def pump(self, make: Callable[[int, bytes], M]) -> None:
        """Read on as far as the window allows."""
        while self._exports and len(self._parts) < WINDOW:
            chunks, at_end = self._exports[0]
            chunk = next(chunks, None)
            if chunk is None:
                del self._exports[0]
                at_end()
            else:
                self.add(lambda number, chunk=chunk: make(number, chunk))  # type: ignore[misc]

    def due(self, now: float) -> list[M]:
        """The parts to send now, new ones and repeats; before the first is acknowledged, only that."""
        if not self._parts or (self.acknowledged < 0 and self._unsent > 0 and now < self._repeat_at):
            return []
        first = self.acknowledged + 1 if now >= self._repeat_at else self._unsent
        last = 0 if self.acknowledged < 0 else min(self.next - 1, self.acknowledged + 4 * WINDOW)
        self._unsent = max(self._unsent, last + 1)
        if first == self.acknowledged + 1:
            self._repeat_at = now + self._retry
        return [self._parts[number] for number in range(first, last + 1)]

    def acknowledge(self, number: int) -> bool:
        """The receiver has all parts up to this one; whether that is new."""
        if not self.acknowledged < number < self.next:
            return False
        for done in range(self.acknowledged + 1, number + 1):
            self._parts.pop(done, None)
        self.acknowledged = number
        self._unsent = max(self._unsent, number + 1)
        return True


class PartOrder(Generic[M]):
    """Parts that have come, put in order. Those that came too early wait in memory, a few of them."""

    def __init__(self, next_number: int = 0) -> None:
        self.next = next_number
        self._early: dict[int, M] = {}

    def receive(self, number: int, part: M) -> list[M]:
        """The parts that are in order now."""
        if self.next <= number < self.next + 4 * WINDOW:
            self._early[number] = part
        found = []
        while self.next in self._early:
            found.append(self._early.pop(self.next))
            self.next += 1
        return found
