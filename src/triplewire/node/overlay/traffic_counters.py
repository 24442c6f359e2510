"""Counters of a super-peer: messages by kind and member, and events by outcome."""

from __future__ import annotations

from collections import Counter

from triplewire.network.messages import LinkFrame, Packet
from triplewire.node.transport.message_codec import kind_of


class TrafficCounters:
    """Counts since the start. `sent` is by address and kind, `received` by member and kind, `events` by outcome."""

    def __init__(self) -> None:
        self.sent: Counter[tuple[str, str]] = Counter()
        self.received: Counter[tuple[str, str]] = Counter()
        self.events: Counter[str] = Counter()
        self._newest: dict[str, tuple[int, int]] = {}

    def send(self, address: str, packet: Packet) -> None:
        """Count a sent packet; a retransmission counts as a repeat."""
        is_repeat = isinstance(packet, LinkFrame) and packet.number > 0 and not self._is_new(address, packet)
        self.sent[address, "repeat" if is_repeat else kind_of(packet)] += 1

    def receive(self, sender: str, packet: Packet) -> None:
        self.received[sender, kind_of(packet)] += 1

    def _is_new(self, address: str, frame: LinkFrame) -> bool:
        newest = (frame.session, frame.number)
        if newest <= self._newest.get(address, (0, 0)):
            return False
        self._newest[address] = newest
        return True


def by_kind(counts: Counter[tuple[str, str]]) -> dict[str, int]:
    """Counts by kind, over all members."""
    found: Counter[str] = Counter()
    for (_, kind), count in counts.items():
        found[kind] += count
    return dict(sorted(found.items()))
