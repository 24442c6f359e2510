"""Ephemeral views: each lives as long as whoever listens to it, and nothing of them is on the disk.

They are kept up to date beside the others, in the same set. What one says in a transaction waits in memory until the
commit, and then goes to its listener on the event loop: one call for each commit, in the order of the changes. So a
listener hears of nothing that has not happened, an update writes nothing for them, and a crash leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from triplewire.languages.sparql.syntax.datasets import DatasetQuery

Delivery = tuple["EphemeralView", bytes]


class EphemeralView(Struct, eq=False):
    """A query, whose it is, and who listens, on the event loop; after the end nobody does.

    `evaluated` is of what time the answer is, for a query that asks for the time.
    """

    name: str
    owner: str
    query: DatasetQuery
    listen: Callable[[bytes], None]
    is_open: bool = True
    evaluated: float = 0.0


class _Untold(Struct, frozen=True):
    """What a view says about a change, by its position, if that is committed. `time` is when it was evaluated."""

    view: EphemeralView
    position: int
    said: bytes
    time: float | None
    is_last: bool


class EphemeralViews:
    """Those of a node, by name. Used on the writer's thread; `deliver` takes what goes to listeners from there."""

    def __init__(self, deliver: Callable[[Sequence[Delivery]], None]) -> None:
        self._deliver = deliver
        self._views: dict[str, EphemeralView] = {}
        self._untold: list[_Untold] = []

    def __contains__(self, name: object) -> bool:
        return name in self._views

    def __getitem__(self, name: str) -> EphemeralView:
        return self._views[name]

    def __iter__(self) -> Iterator[EphemeralView]:
        return iter([*self._views.values()])

    def __len__(self) -> int:
        return len(self._views)

    def keep(self, view: EphemeralView) -> None:
        """A view begins."""
        self._views[view.name] = view

    def drop(self, name: str) -> None:
        """A view has ended; one that is not there is fine."""
        self._views.pop(name, None)

    def say(self, name: str, position: int, said: bytes, *, time: float | None = None, is_last: bool = False) -> None:
        """What a view says about a change, once that is committed."""
        self._untold.append(_Untold(self._views[name], position, said, time, is_last))

    def roll_back(self, position: int) -> None:
        """Changes beyond a position have not happened."""
        self._untold = [one for one in self._untold if one.position <= position]

    def committed(self) -> None:
        """What was said is of changes that are on the disk."""
        told, self._untold = self._untold, []
        for one in told:
            if one.time is not None:
                one.view.evaluated = one.time
            if one.is_last:
                self.drop(one.view.name)
        if told:
            self._deliver([(one.view, one.said) for one in told])

    def tell(self, view: EphemeralView, said: bytes) -> None:
        """Let a listener hear something that is not about a change."""
        self._deliver([(view, said)])


def heard(deliveries: Sequence[Delivery]) -> None:
    """On the event loop: listeners hear what is for them."""
    for view, said in deliveries:
        if view.is_open:
            view.listen(said)
