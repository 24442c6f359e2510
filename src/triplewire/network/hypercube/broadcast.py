"""Broadcasts: a message to every super-peer.

On a stable cube each gets it once, in N-1 messages and at most ceil(log2 N) hops. While members join and leave, a
message may meet a cube that has changed; so a super-peer sends each new neighbour the identifiers of recent broadcasts,
and gets those that it lacks. Then every super-peer gets it at least once, and repeats are dropped by their identifier.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.effects import Action, BroadcastReceived, SendMessage
from triplewire.network.hypercube.members import Members
from triplewire.network.messages import Broadcast, RecentBroadcasts


class _Seen(Struct):
    body: bytes
    hops: int
    at: float


class Broadcasts:
    """The broadcasts that one super-peer has seen recently."""

    def __init__(self, me: str, members: Members, remember: float) -> None:
        self._me = me
        self._members = members
        self._remember = remember
        self._seen: dict[str, _Seen] = {}
        self._count = 0
        self._neighbours: frozenset[str] = frozenset()

    def begin(self, now: float, body: bytes, session: int) -> list[Action]:
        """Start a broadcast."""
        self._count += 1
        name = f"{self._me}/{session}/{self._count}"
        self._seen[name] = _Seen(body, 0, now)
        return self._forward(name, -1, 0)

    def receive(self, now: float, broadcast: Broadcast) -> list[Action]:
        """Forward a broadcast and hand it to the shell; a repeat is dropped."""
        if broadcast.id in self._seen:
            return []
        self._seen[broadcast.id] = _Seen(broadcast.body, broadcast.hops, now)
        received = BroadcastReceived(broadcast.id, broadcast.body, broadcast.hops)
        return [received, *self._forward(broadcast.id, broadcast.dimension, broadcast.hops)]

    def tick(self, now: float, neighbours: frozenset[str]) -> list[Action]:
        """Send new neighbours the identifiers of recent broadcasts, and forget old ones."""
        new = neighbours - self._neighbours
        self._neighbours = neighbours
        for name in [name for name, seen in self._seen.items() if now - seen.at > self._remember]:
            del self._seen[name]
        return [SendMessage(other, RecentBroadcasts(tuple(self._seen))) for other in sorted(new)]

    def answer_recent(self, sender: str, recent: RecentBroadcasts) -> list[Action]:
        """Send what a neighbour has not seen. It forwards it in all dimensions: those behind it may lack it too."""
        return [
            SendMessage(sender, Broadcast(name, seen.body, -1, seen.hops + 1))
            for name, seen in self._seen.items()
            if name not in recent.ids
        ]

    def _forward(self, name: str, dimension: int, hops: int) -> list[Action]:
        place = self._members.place_of.get(self._me)
        if place is None:
            return []
        onward = self._members.cube.onward(place, dimension)
        body = self._seen[name].body
        return [
            SendMessage(self._members.places[other], Broadcast(name, body, higher, hops + 1))
            for higher, other in onward
        ]
