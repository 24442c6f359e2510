"""What federation needs to know of the network: who is in it, and how a question reaches everybody once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from triplewire.network.hypercube.members import Members
from triplewire.network.messages import MemberStatus


class Overlay(Protocol):
    """The network as one super-peer sees it."""

    @property
    def others(self) -> Sequence[str]:
        """The other super-peers that are alive."""
        ...

    @property
    def members(self) -> Sequence[str]:
        """The other super-peers that have not left, also those that cannot be reached now."""
        ...

    def onward(self, dimension: int = -1) -> Iterable[tuple[int, str]]:
        """The neighbours to which what came in on a dimension goes on, with theirs: so everybody is reached once."""
        ...


class CubeOverlay:
    """The hypercube, by the table of members."""

    def __init__(self, me: str, members: Members) -> None:
        self._me = me
        self._table = members

    @property
    def others(self) -> Sequence[str]:
        return [member for member in self._table.places if member != self._me]

    @property
    def members(self) -> Sequence[str]:
        there = (member for member in self._table.all if member.status is not MemberStatus.LEFT)
        return sorted(member.id for member in there if member.id != self._me)

    def onward(self, dimension: int = -1) -> Iterable[tuple[int, str]]:
        place = self._table.place_of.get(self._me)
        if place is None:
            return
        for higher, other in self._table.cube.onward(place, dimension):
            yield higher, self._table.places[other]


class RecordedNetwork:
    """The network as a super-peer was told of it last: who takes the same inputs again sees the same.

    `onward` are the neighbours of its place in the cube, each with the dimension.
    """

    def __init__(self) -> None:
        self.others: tuple[str, ...] = ()
        self.members: tuple[str, ...] = ()
        self._onward: tuple[tuple[int, str], ...] = ()

    def record(self, others: Iterable[str], members: Iterable[str], onward: Iterable[tuple[int, str]]) -> None:
        self.others, self.members, self._onward = tuple(others), tuple(members), tuple(onward)

    def onward(self, dimension: int = -1) -> Iterable[tuple[int, str]]:
        return ((higher, other) for higher, other in self._onward if higher > dimension)
