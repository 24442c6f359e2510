"""The attachment table of one super-peer: its attachments in both directions, and the dimension of each origin."""

from __future__ import annotations

from collections.abc import Iterable

from triplewire.network.hypercube.members import Members
from triplewire.network.routing.attachments import Downstream, Upstream


class AttachmentTable:
    """The attachments, shared by the parts of a router."""

    def __init__(self, me: str, members: Members) -> None:
        self.me = me
        self.members = members
        self.upstream: dict[int, Upstream] = {}
        self.downstream: dict[tuple[str, int], Downstream] = {}
        self.dimension_of: dict[str, int] = {}

    def update_dimensions(self) -> dict[str, int]:
        """Compute the dimension of every member; returns the previous ones."""
        before = self.dimension_of
        place = self.members.place_of.get(self.me)
        if place is None:
            self.dimension_of = {}
        else:
            others = enumerate(self.members.places)
            # The trailing zeros of the difference: Cube.dimension, for a thousand members at once.
            self.dimension_of = {
                other: ((place ^ there) & -(place ^ there)).bit_length() - 1
                for there, other in others
                if there != place
            }
        return before

    def chosen(self) -> dict[int, str]:
        """The neighbours that we have chosen, by dimension."""
        place = self.members.place_of.get(self.me)
        if place is None:
            return {}
        return {
            dimension: self.members.places[there] for dimension, there in enumerate(self.members.cube.neighbours(place))
        }

    def behind(self, dimension: int) -> Iterable[str]:
        """The origins in a dimension."""
        return (origin for origin, where in self.dimension_of.items() if where == dimension)

    def downstreams(self) -> list[Downstream]:
        return list(self.downstream.values())
