"""Replicas: what a node stores is kept by one neighbour as well, part by part.

A generation begins with part 0, everything so far, when the holder or the claims change. Later parts add to it, in
order. An unacknowledged part is repeated.
"""

from __future__ import annotations

from collections.abc import Container

from msgspec import Struct

from triplewire.network.can.messages import Claim, Record, Replica, ReplicaAck

_NEVER = float("-inf")


class ReplicaSender:
    """The replica of our own zones, on its way to its holder."""

    def __init__(self, retry: float) -> None:
        self._retry = retry
        self.holder: str | None = None
        self.claims: tuple[Claim, ...] = ()
        self._generation = (0, 0)
        self._next = 0
        self._parts: dict[int, Replica] = {}
        self._sent: dict[int, float] = {}
        self._tickets: dict[int, list[int]] = {}

    @property
    def is_acknowledged(self) -> bool:
        return not self._parts

    def begun(self, generation: tuple[int, int]) -> bool:
        """Whether the holder has the beginning of this generation, and it is the latest."""
        return generation == self._generation and 0 not in self._parts

    def begin(
        self,
        holder: str | None,
        generation: tuple[int, int],
        claims: tuple[Claim, ...],
        neighbours: tuple[Record, ...],
        contents: bytes,
    ) -> list[int]:
        """Begin a generation. Returns the tickets that need not wait, because there is no holder."""
        waiting = [ticket for tickets in self._tickets.values() for ticket in tickets]
        self.holder, self.claims, self._generation = holder, claims, generation
        self._parts, self._sent, self._tickets = {}, {}, {}
        self._next = 1
        if holder is None:
            return waiting
        self._parts[0] = Replica(generation, 0, claims, neighbours, contents)
        self._tickets[0] = waiting
        return []

    def wait_for_all(self, ticket: int) -> None:
        """Keep a ticket until everything so far is acknowledged."""
        self._tickets.setdefault(self._next - 1, []).append(ticket)

    def add(self, contents: bytes) -> None:
        self._parts[self._next] = Replica(self._generation, self._next, (), (), contents)
        self._next += 1

    def due(self, now: float) -> list[Replica]:
        """The parts to send now."""
        found = [part for number, part in self._parts.items() if now - self._sent.get(number, _NEVER) >= self._retry]
        self._sent.update({part.part: now for part in found})
        return found

    def acknowledged(self, ack: ReplicaAck) -> list[int]:
        """Returns the tickets that have waited for this."""
        if ack.generation != self._generation:
            return []
        self._parts = {number: part for number, part in self._parts.items() if number > ack.part}
        done = [number for number in self._tickets if number <= ack.part]
        return [ticket for number in done for ticket in self._tickets.pop(number)]


class KeptReplica(Struct):
    """The replica of another node's zones."""

    generation: tuple[int, int]
    claims: tuple[Claim, ...]
    neighbours: tuple[Record, ...]
    parts: list[bytes]
    received: float


class ReplicaHolder:
    """The replicas that we keep for others."""

    def __init__(self) -> None:
        self.kept: dict[str, KeptReplica] = {}

    def receive(self, now: float, owner: str, replica: Replica) -> ReplicaAck | None:
        """Keep a part, and acknowledge all that we have; None if an earlier part is missing."""
        kept = self.kept.get(owner)
        if replica.part == 0 and (kept is None or kept.generation < replica.generation):
            kept = KeptReplica(replica.generation, replica.claims, replica.neighbours, [replica.contents], now)
            self.kept[owner] = kept
        if kept is None or kept.generation != replica.generation:
            return None
        kept.received = now
        if replica.part == len(kept.parts):
            kept.parts.append(replica.contents)
        return ReplicaAck(kept.generation, len(kept.parts) - 1)

    def drop_before(self, owner: str, generation: tuple[int, int]) -> None:
        """Drop a replica that another holder has a later generation of."""
        kept = self.kept.get(owner)
        if kept is not None and kept.generation < generation:
            del self.kept[owner]

    def prune(self, limit: float, needed: Container[str]) -> None:
        """Drop replicas that nobody has renewed, of owners that do not need them here."""
        self.kept = {owner: kept for owner, kept in self.kept.items() if owner in needed or kept.received >= limit}
