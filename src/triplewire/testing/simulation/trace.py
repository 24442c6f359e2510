"""The trace of a run: counts of messages, the last of them, and a digest to compare two runs."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from zlib import crc32

from triplewire.network.messages import LinkFrame, Packet
from triplewire.testing.simulation.histories.history import Record

_KEPT = 400


class Trace:
    """The last messages and records, counts of all messages by kind, and a digest of everything.

    `watch` is called with each packet that is sent.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.digest = 0
        self.keeps = True
        self.watch: Callable[[str, str, Packet], object] | None = None
        self._last: deque[tuple[float, str, str, Packet, int] | Record] = deque(maxlen=_KEPT)

    def sent(self, now: float, sender: str, receiver: str, packet: Packet, arrivals: Sequence[float]) -> None:
        kind = kind_of(packet)
        self.counts[kind] += 1
        if self.watch is not None:
            self.watch(sender, receiver, packet)
        if self.keeps:
            self._last.append((now, sender, receiver, packet, len(arrivals)))
            self.digest = crc32(f"{now} {sender} {receiver} {kind} {arrivals}".encode(), self.digest)

    def recorded(self, record: Record) -> None:
        if self.keeps:
            self._last.append(record)
            self.digest = crc32(repr(record).encode(), self.digest)

    def tail(self, lines: int = 60) -> list[str]:
        """The last lines of the trace, as text."""
        wanted = list(self._last)[-lines:]
        return [_line(*one) if isinstance(one, tuple) else f"{one.time:9.3f}  * {one}" for one in wanted]


def kind_of(packet: Packet) -> str:
    """The name of a message, or of what a frame carries; frames that carry none are acknowledgements."""
    if isinstance(packet, LinkFrame):
        return "Acknowledgement" if packet.message is None else type(packet.message).__name__
    return type(packet).__name__


def _line(now: float, sender: str, receiver: str, packet: Packet, copies: int) -> str:
    fate = {0: "lost", 1: ""}.get(copies, f"{copies} times")
    body = packet.message if isinstance(packet, LinkFrame) and packet.message is not None else packet
    return f"{now:9.3f}  {sender} -> {receiver}  {str(body)[:160]} {fate}"
