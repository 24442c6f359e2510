"""Broadcasts: a word to every super-peer.

On a cube that stands still each gets it once, in N-1 messages and at most ceil(log2 N) hops. While others join and
leave, a message may meet a cube that is already another; so whoever gets a new neighbour tells it what it has seen
lately, and gets what it has not. Then everybody gets it at least once, and repeats are dropped by their identifier.
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.effects import Deed, Say, Spread
from triplewire.network.hypercube.members import Members
from triplewire.network.messages import Broadcast, Recent


class _Kept(Struct):
    body: bytes
    hops: int
    at: float


class Broadcasting:
    """What one super-peer has heard and passed on lately."""

    def __init__(self, me: str, members: Members, remember: float) -> None:
        self._me = me
        self._members = members
        self._remember = remember
        self._kept: dict[str, _Kept] = {}
        self._count = 0
        self._neighbours: frozenset[str] = frozenset()

    def begin(self, now: float, body: bytes, session: int) -> list[Deed]:
        """Say something to everybody."""
        self._count += 1
        name = f"{self._me}/{session}/{self._count}"
        self._kept[name] = _Kept(body, 0, now)
        return self._onward(name, -1, 0)

    def take(self, now: float, broadcast: Broadcast) -> list[Deed]:
        """Pass a broadcast on, and hand it up; a repeat is dropped."""
        if broadcast.id in self._kept:
            return []
        self._kept[broadcast.id] = _Kept(broadcast.body, broadcast.hops, now)
        heard = Spread(broadcast.id, broadcast.body, broadcast.hops)
        return [heard, *self._onward(broadcast.id, broadcast.dimension, broadcast.hops)]

    def tick(self, now: float, neighbours: frozenset[str]) -> list[Deed]:
        """Tell new neighbours what was seen lately, and forget what is old."""
        new = neighbours - self._neighbours
        self._neighbours = neighbours
        for name in [name for name, kept in self._kept.items() if now - kept.at > self._remember]:
            del self._kept[name]
        return [Say(other, Recent(tuple(self._kept))) for other in sorted(new)]

    def missing(self, sender: str, recent: Recent) -> list[Deed]:
        """What a neighbour has not seen. It passes it on in all dimensions: those behind may lack it too."""
        return [
            Say(sender, Broadcast(name, kept.body, -1, kept.hops + 1))
            for name, kept in self._kept.items()
            if name not in recent.ids
        ]

    def _onward(self, name: str, dimension: int, hops: int) -> list[Deed]:
        place = self._members.place_of.get(self._me)
        if place is None:
            return []
        ways = self._members.cube.onward(place, dimension)
        body = self._kept[name].body
        return [Say(self._members.places[other], Broadcast(name, body, higher, hops + 1)) for higher, other in ways]
