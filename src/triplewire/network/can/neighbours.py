"""The table of neighbours: who owns the zones around ours, and who has been heard from.

A record is believed if its owner is a member, that is, if it was introduced by one that we know, and if its zones were
its own before, or nobody's that we know, or those of a node that has failed. So a zone changes its owner here when the
old owner says so or has gone silent, and never because a newcomer claims it (row A12).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from msgspec import Struct
from msgspec.structs import replace

from triplewire.network.can.claims import minus, rank, without
from triplewire.network.can.messages import Claim, Record
from triplewire.network.can.space import Box, Dimension
from triplewire.network.can.timings import Timings

_NEVER = float("-inf")
# How many members a node remembers, neighbours or not.
_MOST_MEMBERS = 256


class Neighbour(Struct):
    """A neighbour. `heard` is when it last sent us something, `evidence` when we last knew it to be alive.

    `echo` is its clock in its last heartbeat. `lapsed` is when it was last silent for too long. `around` are its own
    neighbours, who may have to take over its zones.
    """

    record: Record
    heard: float = _NEVER
    evidence: float = _NEVER
    echo: float | None = None
    lapsed: float = _NEVER
    around: tuple[str, ...] = ()


class Departed(Struct):
    """A node whose zones others have taken over. It may come back."""

    record: Record
    since: float
    probed: float


class NeighbourTable:
    """What one node knows of others. `mine`, in calls, are its own claims."""

    def __init__(self, me: str, timings: Timings) -> None:
        self._me = me
        self._timings = timings
        self.known: dict[str, Neighbour] = {}
        self.departed: dict[str, Departed] = {}
        self.members: dict[str, str] = {}
        """The addresses of nodes that were introduced to us, the latest last."""
        self._contested: list[tuple[float, Box]] = []
        self.lapsed = _NEVER
        """When we were last out of contact ourselves."""

    # Reading

    def claims(self) -> Iterator[tuple[Claim, Record]]:
        """All claims of neighbours."""
        return ((claim, neighbour.record) for neighbour in self.known.values() for claim in neighbour.record.claims)

    def is_member(self, node: str) -> bool:
        """Whether a node was introduced to us."""
        return node in self.known or node in self.departed or node in self.members

    def is_alive(self, now: float, node: str) -> bool:
        return now - self.known[node].evidence <= self._timings.suspect_after

    def fresh(self, now: float) -> list[Record]:
        """The neighbours that we have heard from ourselves, just now: what we tell others of."""
        limit = now - self._timings.fresh_for
        return [neighbour.record for neighbour in self.known.values() if neighbour.heard >= limit]

    def holder(self, now: float) -> str | None:
        """The neighbour that keeps our replica: the first candidate of those that are alive."""
        return next(iter(candidates(self._me, [node for node in self.known if self.is_alive(now, node)])), None)

    def has_gap(self, mine: Sequence[Claim]) -> bool:
        """Whether nobody that we know owns the other side of some face of our zones."""
        zones = [claim.zone for claim in mine]
        others = [*zones, *(claim.zone for claim, _ in self.claims())]
        return any(_open_faces(zone, others) for zone in zones)

    # Changing

    def introduce(self, node: str, address: str) -> None:
        """Somebody whom we believe knows this node."""
        if node == self._me:
            return
        self.members.pop(node, None)
        self.members[node] = address
        if len(self.members) > _MOST_MEMBERS:
            del self.members[next(iter(self.members))]

    def saw(self, now: float, node: str, heard: bool) -> None:
        """Note that a node is alive, because it was `heard` or because another has heard it."""
        neighbour = self.known.get(node)
        if neighbour is None:
            return
        if now - neighbour.evidence > self._timings.suspect_after and neighbour.evidence != _NEVER:
            neighbour.lapsed = now
        neighbour.evidence = now
        if heard:
            neighbour.heard = now

    def forgive(self, now: float) -> None:
        """We were out of contact: give every neighbour a fresh start, and believe those who replaced us."""
        self.lapsed = now
        for neighbour in self.known.values():
            neighbour.evidence = now

    def objection(self, now: float, own: Record, record: Record, via: str) -> str | None:
        """Why a record that `via` sent is not believed; None if it is."""
        if not self.is_member(record.id):
            return "nobody introduced it"
        before = self.known.get(record.id)
        zones = [claim.zone for claim in before.record.claims] if before else []
        for claim in record.claims:
            for box in minus([claim.zone], zones):
                found = self._objection_to(now, own, claim, box, record, via)
                if found is not None:
                    return found
        return None

    def accept(self, now: float, mine: Sequence[Claim], record: Record) -> None:
        """Put a record that was believed into the table, and cut its zones out of those of others."""
        zones = [claim.zone for claim in record.claims]
        for other in list(self.known.values()):
            if other.record.id != record.id:
                self._cut(now, other, zones)
        if not _adjoin(mine, record.claims):
            self.known.pop(record.id, None)
            return
        self.departed.pop(record.id, None)
        before = self.known.get(record.id)
        if before is None:
            self.known[record.id] = Neighbour(record, evidence=now)
        else:
            before.record = record

    def shrink(self, record: Record) -> None:
        """A record is not believed. That its node has given up zones is: others may own them only then."""
        known = self.known.get(record.id)
        if known is not None and record.age > known.record.age:
            given_up = minus((claim.zone for claim in known.record.claims), [claim.zone for claim in record.claims])
            known.record = replace(known.record, claims=without(known.record.claims, given_up))

    def contest(self, now: float, zones: Iterable[Box]) -> None:
        """We have taken over these zones. Others may have done so at the same time: then the rank decides."""
        limit = now - self._timings.remember
        self._contested = [found for found in self._contested if found[0] >= limit]
        self._contested += [(now, zone) for zone in zones]

    def retain(self, mine: Sequence[Claim]) -> None:
        """Forget those that no longer adjoin our zones."""
        for node, neighbour in list(self.known.items()):
            if not _adjoin(mine, neighbour.record.claims):
                del self.known[node]

    def depart(self, now: float, record: Record) -> None:
        """Its zones were taken over."""
        self.known.pop(record.id, None)
        self.departed[record.id] = Departed(record, now, now)

    # Private

    def _objection_to(self, now: float, own: Record, claim: Claim, box: Box, owner: Record, via: str) -> str | None:
        for mine in own.claims:
            if mine.zone.touches(box):
                if rank(mine, own) > rank(claim, owner):
                    return "its zone has another owner by now"
                if minus([mine.zone.intersection(box)], self._contested_at(now)) and not self._may_have_replaced_us(
                    now, via
                ):
                    return f"its zone is {own.id}'s, which was never silent"
        for theirs, record in self.claims():
            if record.id != owner.id and theirs.zone.touches(box):
                if rank(theirs, record) > rank(claim, owner):
                    return "its zone has another owner by now"
                if self.is_alive(now, record.id) and not record.is_returned:
                    return f"its zone is {record.id}'s"
        return None

    def _may_have_replaced_us(self, now: float, via: str) -> bool:
        """Whether whoever tells us so was out of contact with us: others know that we are alive."""
        limit = now - self._timings.remember
        neighbour = self.known.get(via)
        return (
            self.lapsed >= limit
            or via in self.departed
            or (neighbour is not None and (neighbour.lapsed >= limit or not self.is_alive(now, via)))
        )

    def _contested_at(self, now: float) -> list[Box]:
        return [zone for at, zone in self._contested if at >= now - self._timings.remember]

    def _cut(self, now: float, other: Neighbour, zones: Sequence[Box]) -> None:
        left = without(other.record.claims, zones)
        if left == other.record.claims:
            return
        if left:
            other.record = replace(other.record, claims=left)
        else:
            self.depart(now, other.record)


def candidates(owner: str, nodes: Iterable[str]) -> list[str]:
    """Nodes in the order in which they keep a node's replica and take over its zones: the same to everybody."""
    return sorted(nodes, key=lambda node: blake2b(f"{owner} {node}".encode(), digest_size=8).digest())


def _adjoin(mine: Iterable[Claim], theirs: Sequence[Claim]) -> bool:
    return any(own.zone.adjoins(claim.zone) for own in mine for claim in theirs)


def _open_faces(zone: Box, others: Sequence[Box]) -> bool:
    """Whether a face of a zone is not covered by others. Those across it are projected on the zone."""
    for at in Dimension:
        side = zone[at]
        below = [other.with_side(at, side) for other in others if other[at].upper == side.lower]
        above = [other.with_side(at, side) for other in others if other[at].lower == side.upper]
        if (side.lower and minus([zone], below)) or (side.upper is not None and minus([zone], above)):
            return True
    return False
