"""What a node knows of others: the records of members, who of them adjoins us, and who has been heard from.

A member is whoever was introduced by one that we know. The table has the latest record of each; those whose zones
adjoin ours are the neighbours. Two records may overlap for a while: their owners settle that (`heartbeats`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from triplewire.network.can.geometry.space import Box, Dimension
from triplewire.network.can.journal import Journal
from triplewire.network.can.messages import Claim, Record
from triplewire.network.can.ownership.claims import adjoin, minus, overlap
from triplewire.network.can.timings import Timings

_NEVER = float("-inf")
_TABLE = "neighbours"
# How many members a node remembers, neighbours or not.
_MOST_MEMBERS = 256


class Member(Struct):
    """A member. `heard` is when it last sent us something, `evidence` when we last knew it to be alive.

    `around` are the nodes that it has heard from, who may have to take over its zones. `departed` is when its zones
    were taken over. `is_cut` while the claims are not quite those that it has told: then the same record again is
    news.
    """

    record: Record
    since: float = _NEVER
    heard: float = _NEVER
    evidence: float = _NEVER
    around: tuple[str, ...] = ()
    departed: float | None = None
    probed: float = _NEVER
    is_cut: bool = False
    calm_since: float = _NEVER
    changed: float = _NEVER

    @property
    def is_its_own(self) -> bool:
        """Whether the record is as its node has told it, and may be told on."""
        return bool(self.record.incarnation) and not self.is_cut


class _Saved(Struct, frozen=True, array_like=True):
    record: Record
    is_departed: bool
    is_cut: bool


_DECODER = msgspec.msgpack.Decoder(_Saved)


class NeighbourTable:
    """What one node knows of others. Kept in the journal, save who is alive."""

    def __init__(self, me: str, journal: Journal, timings: Timings) -> None:
        self._me = me
        self._journal = journal
        self._timings = timings
        self._mine: tuple[Claim, ...] = ()
        self.all: dict[str, Member] = {}
        self.members: dict[str, str] = {}
        """The addresses of all members."""
        self.known: dict[str, Member] = {}
        """The neighbours."""
        self.rivals: set[str] = set()
        """Members that claim something of ours."""
        self._gaps: list[tuple[Box, Dimension, bool]] | None = None
        for key, value in journal.items(_TABLE):
            saved = _DECODER.decode(value)
            departed = _NEVER if saved.is_departed else None
            self.all[key.decode()] = Member(saved.record, departed=departed, is_cut=saved.is_cut)
            self.members[key.decode()] = saved.record.address

    # Reading

    def claims(self) -> Iterator[tuple[Claim, Record]]:
        """All claims of neighbours."""
        return ((claim, member.record) for member in self.known.values() for claim in member.record.claims)

    def records(self) -> tuple[Record, ...]:
        """The records of neighbours that may be told on: those that are as their nodes have told them."""
        return tuple(member.record for member in self.known.values() if member.is_its_own)

    def record(self, node: str) -> Record | None:
        member = self.all.get(node)
        return None if member is None else member.record

    def is_member(self, node: str) -> bool:
        """Whether a node was introduced to us."""
        return node in self.all

    def is_alive(self, now: float, node: str) -> bool:
        member = self.all.get(node)
        return member is not None and now - member.evidence <= self._timings.suspect_after

    def lately_alive(self, now: float) -> list[Member]:
        """The members with zones that somebody has heard from in the last while, near or far."""
        limit = now - self._timings.remember
        members = self.all.values()
        return [
            other for other in members if other.evidence >= limit and other.departed is None and other.record.claims
        ]

    def fresh(self, now: float) -> list[Member]:
        """The members that we have heard from ourselves, just now: what we tell others of."""
        limit = now - self._timings.fresh_for
        return [member for member in self.all.values() if member.heard >= limit and member.departed is None]

    def departed(self) -> list[Member]:
        return [member for member in self.all.values() if member.departed is not None]

    def overlapping(self, claims: Sequence[Claim], but: str) -> list[Member]:
        """Members that claim something of these zones, too."""
        zones = [claim.zone for claim in claims]
        return [
            member
            for node, member in self.all.items()
            if node != but
            and member.departed is None
            and any(theirs.zone.touches(zone) for theirs in member.record.claims for zone in zones)
        ]

    def gaps(self) -> list[tuple[Box, Dimension, bool]]:
        """Faces of our zones behind which nobody that we know owns anything: a part of the zone, and on which side."""
        if self._gaps is None:
            zones = [claim.zone for claim in self._mine]
            others = [*zones, *(claim.zone for claim, _ in self.claims())]
            self._gaps = [gap for zone in zones for gap in _open_faces(zone, others)]
        return self._gaps

    # Changing

    def own(self, now: float, claims: tuple[Claim, ...]) -> None:
        """These are our own claims now."""
        self._mine = claims
        self._gaps = None
        for member in self.all.values():
            self._place(now, member)

    def introduce(self, now: float, node: str, address: str) -> None:
        """Somebody whom we believe knows this node."""
        if node == self._me or node in self.all:
            return
        self._forget_some()
        self.all[node] = Member(Record(node, address, incarnation=0), since=now)
        self.members[node] = address
        self._save(node)

    def saw(self, now: float, node: str, heard: bool) -> None:
        """Note that a node is alive, because it was `heard` or because another has heard it."""
        member = self.all.get(node)
        if member is None:
            return
        member.evidence = now
        if heard:
            member.heard = now
            if member.departed is not None:
                self._return(now, member)

    def forgive(self, now: float) -> None:
        """We were out of contact: give every neighbour a fresh start."""
        for member in self.known.values():
            member.evidence = now

    def accept(self, now: float, record: Record, is_cut: bool) -> None:
        """Put a record that was believed, as far as it was, into the table."""
        member = self.all[record.id]
        before = (member.record.claims, member.record.address, member.is_cut)
        is_new = (record.claims, record.address, is_cut) != before
        if record.incarnation > member.record.incarnation and member.departed is not None:
            self._return(now, member)
        member.record, member.is_cut = record, is_cut
        self.members[record.id] = record.address
        if is_new:
            self._save(record.id)
            self._place(now, member)

    def depart(self, now: float, node: str) -> None:
        """Its zones were taken over."""
        member = self.all[node]
        member.departed = member.probed = now
        self._place(now, member)
        self._save(node)

    def forget(self, node: str) -> None:
        for table in (self.all, self.known, self.members):
            table.pop(node, None)
        self.rivals.discard(node)
        self._gaps = None
        self._journal.delete(_TABLE, node.encode())

    # Private

    def _return(self, now: float, member: Member) -> None:
        member.departed = None
        self._save(member.record.id)
        self._place(now, member)

    def _place(self, now: float, member: Member) -> None:
        node = member.record.id
        self._gaps = None
        if member.departed is None and overlap(self._mine, member.record.claims):
            self.rivals.add(node)
        else:
            self.rivals.discard(node)
        if member.departed is not None or not adjoin(self._mine, member.record.claims):
            self.known.pop(node, None)
        elif node not in self.known:
            self.known[node] = member
            # From now on it sends us heartbeats.
            member.evidence = now

    def _forget_some(self) -> None:
        if len(self.all) >= _MOST_MEMBERS:
            others = [node for node, member in self.all.items() if node not in self.known and member.departed is None]
            for node in others[:1]:
                self.forget(node)

    def _save(self, node: str) -> None:
        member = self.all[node]
        saved = _Saved(replace(member.record, load=0), member.departed is not None, member.is_cut)
        self._journal.put(_TABLE, node.encode(), msgspec.msgpack.encode(saved))


def candidates(owner: str, nodes: Iterable[str]) -> list[str]:
    """Nodes in the order in which they keep a node's replica and take over its zones: the same to everybody."""
    return sorted(nodes, key=lambda node: blake2b(f"{owner} {node}".encode(), digest_size=8).digest())


def _open_faces(zone: Box, others: Sequence[Box]) -> list[tuple[Box, Dimension, bool]]:
    """The parts of a zone's faces that are not covered by others. Those across it are projected on the zone."""
    found = []
    for at in Dimension:
        side = zone[at]
        if side.lower:
            below = [other.with_side(at, side) for other in others if other[at].upper == side.lower]
            found += [(piece, at, False) for piece in minus([zone], below)]
        if side.upper is not None:
            above = [other.with_side(at, side) for other in others if other[at].lower == side.upper]
            found += [(piece, at, True) for piece in minus([zone], above)]
    return found
