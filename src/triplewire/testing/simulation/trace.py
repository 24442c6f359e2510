"""The trace of a run: counts of messages, the last of them, and a digest to compare two runs."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar
from zlib import crc32

from triplewire.testing.simulation.history import Timed

_KEPT = 400

Msg = TypeVar("Msg")


def name_of_type(message: object) -> str:
    return type(message).__name__


def itself(message: object) -> object:
    return message


class Trace(Generic[Msg]):
    """The last messages and records, counts of all messages by kind, and a digest of everything.

    `kind_of` names a message, `body_of` is the part of it that a line shows. `watch` is called with each message that
    is sent.
    """

    def __init__(self, kind_of: Callable[[Msg], str] = name_of_type, body_of: Callable[[Msg], object] = itself) -> None:
        self.counts: Counter[str] = Counter()
        self.digest = 0
        self.keeps = True
        self.watch: Callable[[str, str, Msg], object] | None = None
        self._kind_of = kind_of
        self._body_of = body_of
        self._last: deque[tuple[float, str, str, Msg, int] | Timed] = deque(maxlen=_KEPT)

    def sent(self, now: float, sender: str, receiver: str, message: Msg, arrivals: Sequence[float]) -> None:
        kind = self._kind_of(message)
        self.counts[kind] += 1
        if self.watch is not None:
            self.watch(sender, receiver, message)
        if self.keeps:
            self._last.append((now, sender, receiver, message, len(arrivals)))
            self.digest = crc32(f"{now} {sender} {receiver} {kind} {arrivals}".encode(), self.digest)

    def recorded(self, record: Timed) -> None:
        if self.keeps:
            self._last.append(record)
            self.digest = crc32(repr(record).encode(), self.digest)

    def tail(self, lines: int = 60) -> list[str]:
        """The last lines of the trace, as text."""
        wanted = list(self._last)[-lines:]
        return [self._line(*one) if isinstance(one, tuple) else f"{one.time:9.3f}  * {one}" for one in wanted]

    def _line(self, now: float, sender: str, receiver: str, message: Msg, copies: int) -> str:
        fate = {0: "lost", 1: ""}.get(copies, f"{copies} times")
        return f"{now:9.3f}  {sender} -> {receiver}  {str(self._body_of(message))[:160]} {fate}"
