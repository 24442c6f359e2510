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
