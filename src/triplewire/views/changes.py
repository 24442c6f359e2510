"""What one transaction added to a dataset and removed from it."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from triplewire.rdf.terms import Quad


class Change(Struct, frozen=True):
    """The net difference: what is added was not there before, what is removed was, and nothing is in both.

    `time` is in seconds since 1970, and is what NOW() says when a view is evaluated because of the change.
    """

    position: int
    time: float
    added: tuple[Quad, ...] = ()
    removed: tuple[Quad, ...] = ()

    @classmethod
    def of(
        cls, added: Iterable[Quad] = (), removed: Iterable[Quad] = (), position: int = 0, time: float = 0.0
    ) -> Change:
        """From any quads."""
        return cls(position, time, tuple(added), tuple(removed))

    @property
    def reverse(self) -> Change:
        """The change that takes this one back: applied after it, over the state before it, it restores every view."""
        return Change(self.position, self.time, self.removed, self.added)
