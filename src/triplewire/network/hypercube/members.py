"""The membership table: who is in the network, and in which place.

Every super-peer keeps the whole table; at a hundred bytes a member that is little even for thousands. Tables merge
record by record: a higher incarnation wins, within one the worse status. A member that is declared failed refutes it
with a higher incarnation.

Places follow from the table alone, so equal tables give equal cubes: a member has the place that it claims, if that is
below N and no member with a smaller identifier claims it too; the others fill the gaps in order. So only those move
that have to: the last one when a member leaves, and the later one of two that joined at once.

>>> members = Members([Member("a", "A", claim=0), Member("b", "B", claim=1), Member("c", "C", claim=2)])
>>> members.merge([Member("a", "A", status=MemberStatus.FAILED)])
(Member(id='a', address='A', incarnation=1, status=<MemberStatus.FAILED: 2>, claim=0, start=0),)
>>> members.places
('c', 'b')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b

from msgspec import Struct

from triplewire.network.hypercube.cube import Cube
from triplewire.network.messages import Member, MemberStatus


class Members:
    """The table. `places` maps places to members, `cube` is its shape, `digest` is equal for equal tables."""

    def __init__(self, known: Iterable[Member] = ()) -> None:
        self._known: dict[str, Member] = {}
        self._layout: CubeLayout | None = None
        self.digest = 0
        self.merge(known)

    def merge(self, news: Iterable[Member]) -> tuple[Member, ...]:
        """Merge records; returns those that were newer."""
        newer = {}
        for member in news:
            known = self._known.get(member.id)
            if known is None or _rank(member) > _rank(known):
                newer[member.id] = self._known[member.id] = member
                self.digest ^= _fingerprint(member) ^ (0 if known is None else _fingerprint(known))
        if newer:
            self._layout = None
        return tuple(newer.values())

    def replace(self, table: Iterable[Member]) -> None:
        """Replace the whole table."""
        self._known = {}
        self._layout = None
        self.digest = 0
        self.merge(table)

    def get(self, member_id: str) -> Member | None:
        return self._known.get(member_id)

    def is_alive(self, member_id: str) -> bool:
        return member_id in self.place_of

    @property
    def all(self) -> tuple[Member, ...]:
        return tuple(self._known.values())

    def free_claim(self) -> int:
        """The place that a newcomer is given."""
        taken = {member.claim for member in self._known.values() if member.status is MemberStatus.ALIVE}
        return next(place for place in range(len(taken) + 1) if place not in taken)

    def dimension(self, member_id: str, other_id: str) -> int | None:
        """The dimension of a member in which another one is; None if one of them is not in the cube."""
        mine, theirs = self.place_of.get(member_id), self.place_of.get(other_id)
        if mine is None or theirs is None or mine == theirs:
            return None
        return self.cube.dimension(mine, theirs)

    @property
    def places(self) -> tuple[str, ...]:
        """Members by place."""
        return self._compute_layout().places

    @property
    def place_of(self) -> Mapping[str, int]:
        """Places by member, of those that are alive."""
        return self._compute_layout().place_of

    @property
    def cube(self) -> Cube:
        return self._compute_layout().cube

    def _compute_layout(self) -> CubeLayout:
        if self._layout is None:
            self._layout = _shared_layout(self.digest, self._known)
        return self._layout


class CubeLayout(Struct, frozen=True):
    """The cube that follows from a table."""

    places: tuple[str, ...]
    place_of: Mapping[str, int]
    cube: Cube


# Super-peers of one process that have the same table, as in a simulation of a thousand, share its layout.
_layouts: dict[int, CubeLayout] = {}
_MAX_LAYOUTS = 64


def _shared_layout(digest: int, known: Mapping[str, Member]) -> CubeLayout:
    settled = _layouts.get(digest) or _compute_layout(known.values())
    _layouts[digest] = settled
    if len(_layouts) > _MAX_LAYOUTS:
        _layouts.pop(next(iter(_layouts)))
    return settled


def _compute_layout(known: Iterable[Member]) -> CubeLayout:
    places = _places([member for member in known if member.status is MemberStatus.ALIVE])
    return CubeLayout(places, {member_id: place for place, member_id in enumerate(places)}, Cube(len(places)))


def _rank(member: Member) -> tuple[int, int, int, str, int]:
    """The order of records. After incarnation and status the rest decides, so that tables always converge."""
    return member.incarnation, member.status, member.claim, member.address, member.start


def _places(alive: Sequence[Member]) -> tuple[str, ...]:
    places: list[str | None] = [None] * len(alive)
    displaced: list[Member] = []
    for member in sorted(alive, key=lambda member: (member.claim, member.id)):
        if member.claim < len(places) and places[member.claim] is None:
            places[member.claim] = member.id
        else:
            displaced.append(member)
    waiting = iter(displaced)
    return tuple(found if found is not None else next(waiting).id for found in places)


@lru_cache(maxsize=16_384)
def _fingerprint(member: Member) -> int:
    """The digest of a table is the exclusive or of these: independent of the order of updates."""
    text = f"{member.id} {member.address} {member.incarnation} {member.status:d} {member.claim}".encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest())
