"""Advertisements: what our own peers will publish, what others will, and who below us is told of it.

Two indices of one kind (section 3.2): SP/P has our peers as targets, SP/SP our dimensions. What one peer registers at
several times is read together before it enters SP/P. Somebody that has chosen us in dimension d is told what our peers
advertise and what stands in our own dimensions above d; after that, only of what begins and what ends. So a broadcast
stops where nothing changes, and a withdrawal is exact: whoever is below asks us, and nobody else, what there is in that
dimension, and we know whether another one still advertises the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from triplewire.network.effects import Deed, Say
from triplewire.network.messages import Advertise, Description
from triplewire.network.routing.advertisements.descriptions import combined
from triplewire.network.routing.advertisements.indices import Indices, T
from triplewire.network.routing.attachment_table import Ways
from triplewire.network.routing.attachments import Downstream

_MOST_AT_ONCE = 500


class Offering:
    """The indices of one super-peer. `peers` is SP/P, `dimensions` SP/SP."""

    def __init__(self, ways: Ways) -> None:
        self.peers: Indices[str] = Indices()
        self.dimensions: Indices[int] = Indices()
        self._ways = ways
        self._registered: dict[str, dict[str, Description]] = {}

    def register(self, description: Description, peer: str) -> list[Description]:
        """A peer of ours will publish that, besides what it said before; what that changes."""
        self._registered.setdefault(peer, {})[description.key] = description
        return self._combine(peer)

    def withdraw(self, key: str, peer: str) -> list[Description]:
        """A peer of ours will no longer publish that; what that changes."""
        if self._registered.get(peer, {}).pop(key, None) is None:
            return []
        return self._combine(peer)

    def _combine(self, peer: str) -> list[Description]:
        wanted = combined(self._registered[peer].values())
        if not wanted:
            del self._registered[peer]
        return [one for changed in _replace(self.peers, peer, wanted) for one in changed]

    def first(self, down: Downstream) -> list[Deed]:
        """Everything that somebody who has just attached is to know; not too much in one message."""
        found = self._offered(down.dimension)
        down.offered = set(found)
        offers = tuple(found.values())
        pieces = [offers[start : start + _MOST_AT_ONCE] for start in range(0, max(len(offers), 1), _MOST_AT_ONCE)]
        return [
            Say(down.other, Advertise(down.dimension, piece, (), is_first=number == 0))
            for number, piece in enumerate(pieces)
        ]

    def tell(self, changed: Iterable[Description]) -> list[Deed]:
        """Tell those below for whom something has changed."""
        changed = list(changed)
        return [deed for down in self._ways.downs() for deed in self._tell(down, changed)]

    def replace(self, dimension: int, wanted: Iterable[Description]) -> tuple[list[Description], list[Description]]:
        """Let a dimension advertise exactly this; what is new, and what is gone."""
        return _replace(self.dimensions, dimension, {description.key: description for description in wanted})

    def change(
        self, dimension: int, added: Iterable[Description], removed: Iterable[str]
    ) -> tuple[list[Description], list[Description]]:
        """Update the index of a dimension; what is new in it, and what is gone."""
        return _change(self.dimensions, dimension, added, removed)

    def _tell(self, down: Downstream, changed: list[Description]) -> list[Deed]:
        added, removed = [], []
        for description in changed:
            is_offered = self._is_offered(description.key, down.dimension)
            if is_offered and description.key not in down.offered:
                down.offered.add(description.key)
                added.append(description)
            elif not is_offered and description.key in down.offered:
                down.offered.discard(description.key)
                removed.append(description.key)
        return [Say(down.other, Advertise(down.dimension, tuple(added), tuple(removed)))] if added or removed else []

    def _is_offered(self, key: str, dimension: int) -> bool:
        return bool(self.peers.targets(key)) or any(above > dimension for above in self.dimensions.targets(key))

    def _offered(self, dimension: int) -> dict[str, Description]:
        return {
            description.key: description
            for index in (self.peers, self.dimensions)
            for description in index.everything()
            if self._is_offered(description.key, dimension)
        }


def _replace(
    index: Indices[T], target: T, wanted: Mapping[str, Description]
) -> tuple[list[Description], list[Description]]:
    old = dict(index.describes(target))
    added = [description for key, description in wanted.items() if key not in old]
    return _change(index, target, added, [key for key in old if key not in wanted])


def _change(
    index: Indices[T], target: T, added: Iterable[Description], removed: Iterable[str]
) -> tuple[list[Description], list[Description]]:
    known = index.describes(target)
    gone = [known[key] for key in removed if key in known]
    for description in gone:
        index.remove(description.key, target)
    return [description for description in added if index.add(description, target)], gone
