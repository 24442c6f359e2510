"""Who is in the network, and in which place.

Everybody keeps the whole table; at a hundred bytes a member that is little even for thousands. Tables merge record by
record: a higher incarnation wins, within one the worse status. A member that hears itself called failed answers with
a higher incarnation.

Places follow from the table alone, so that whoever has the same table has the same cube: a member has the place that
it claims, if that is below N and nobody with a smaller identifier claims it too; the others fill the holes in order.
So only those move who have to: the last one when somebody leaves, and the later one of two that joined at once.

>>> members = Members([Member("a", "A", claim=0), Member("b", "B", claim=1), Member("c", "C", claim=2)])
>>> members.merge([Member("a", "A", status=Status.FAILED)])
(Member(id='a', address='A', incarnation=1, status=<Status.FAILED: 2>, claim=0, start=0),)
>>> members.places
('c', 'b')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b

from msgspec import Struct

from triplewire.network.hypercube.cube import Cube
from triplewire.network.messages import Member, Status


class Members:
    """The table. `places` is who stands where; `cube` its shape; `digest` is equal for equal tables."""

    def __init__(self, known: Iterable[Member] = ()) -> None:
        self._known: dict[str, Member] = {}
        self._settled: Settled | None = None
        self.digest = 0
        self.merge(known)

    def merge(self, news: Iterable[Member]) -> tuple[Member, ...]:
        """Take what is newer; what was."""
        newer = {}
        for member in news:
            known = self._known.get(member.id)
            if known is None or _rank(member) > _rank(known):
                newer[member.id] = self._known[member.id] = member
                self.digest ^= _fingerprint(member) ^ (0 if known is None else _fingerprint(known))
        if newer:
            self._settled = None
        return tuple(newer.values())

    def replace(self, table: Iterable[Member]) -> None:
        """Take another table instead."""
        self._known = {}
        self._settled = None
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
        taken = {member.claim for member in self._known.values() if member.status is Status.ALIVE}
        return next(place for place in range(len(taken) + 1) if place not in taken)

    def dimension(self, member_id: str, other_id: str) -> int | None:
        """In which dimension of a member another one stands; None where one of them is not in the cube."""
        mine, theirs = self.place_of.get(member_id), self.place_of.get(other_id)
        if mine is None or theirs is None or mine == theirs:
            return None
        return self.cube.dimension(mine, theirs)

    @property
    def places(self) -> tuple[str, ...]:
        """Who stands where."""
        return self._settle().places

    @property
    def place_of(self) -> Mapping[str, int]:
        """Where each living member stands."""
        return self._settle().place_of

    @property
    def cube(self) -> Cube:
        return self._settle().cube

    def _settle(self) -> Settled:
        if self._settled is None:
            self._settled = _shared(self.digest, self._known)
        return self._settled


class Settled(Struct, frozen=True):
    """What follows from a table."""

    places: tuple[str, ...]
    place_of: Mapping[str, int]
    cube: Cube


# Members of one process that have the same table, as in a simulation of a thousand, share what follows from it.
_settlements: dict[int, Settled] = {}
_MOST_SETTLEMENTS = 64


def _shared(digest: int, known: Mapping[str, Member]) -> Settled:
    settled = _settlements.get(digest) or _settle(known.values())
    _settlements[digest] = settled
    if len(_settlements) > _MOST_SETTLEMENTS:
        _settlements.pop(next(iter(_settlements)))
    return settled


def _settle(known: Iterable[Member]) -> Settled:
    places = _places([member for member in known if member.status is Status.ALIVE])
    return Settled(places, {member_id: place for place, member_id in enumerate(places)}, Cube(len(places)))


def _rank(member: Member) -> tuple[int, int, int, str, int]:
    """What is newer. After incarnation and status the rest decides, so that two tables always come to agree."""
    return member.incarnation, member.status, member.claim, member.address, member.start


def _places(alive: Sequence[Member]) -> tuple[str, ...]:
    places: list[str | None] = [None] * len(alive)
    homeless: list[Member] = []
    for member in sorted(alive, key=lambda member: (member.claim, member.id)):
        if member.claim < len(places) and places[member.claim] is None:
            places[member.claim] = member.id
        else:
            homeless.append(member)
    waiting = iter(homeless)
    return tuple(found if found is not None else next(waiting).id for found in places)


@lru_cache(maxsize=16_384)
def _fingerprint(member: Member) -> int:
    """The digest of a table is the exclusive or of these: the same in whatever order it was learnt."""
    text = f"{member.id} {member.address} {member.incarnation} {member.status:d} {member.claim}".encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest())
