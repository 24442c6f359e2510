"""Forwarding of advertisements: the SP/P and SP/SP indices of a super-peer, and what is sent downstream of them.

Two indices of one kind (section 3.2): SP/P has our peers as targets, SP/SP our dimensions. What one peer registers at
several times is combined before it enters SP/P. A downstream of dimension d gets what our peers advertise and what is
advertised in our own dimensions above d; after that, only changes. So a broadcast stops where nothing changes, and a
withdrawal is exact: the downstream asks us, and nobody else, what there is in that dimension, and we know whether
another target still advertises the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from triplewire.network.effects import Action, SendMessage
from triplewire.network.messages import Advertise, Description
from triplewire.network.routing.advertisements.descriptions import combined
from triplewire.network.routing.advertisements.index import AdvertisementIndex, T
from triplewire.network.routing.attachments import AttachmentTable, Downstream

_MOST_AT_ONCE = 500


class AdvertisementForwarding:
    """The indices of one super-peer. `peers` is SP/P, `dimensions` SP/SP."""

    def __init__(self, attachments: AttachmentTable) -> None:
        self.peers: AdvertisementIndex[str] = AdvertisementIndex()
        self.dimensions: AdvertisementIndex[int] = AdvertisementIndex()
        self._attachments = attachments
        self._registrations: dict[str, dict[str, Description]] = {}

    def register(self, description: Description, peer: str) -> list[Description]:
        """Add an advertisement of one of our peers; returns the changed descriptions."""
        self._registrations.setdefault(peer, {})[description.key] = description
        return self._combine(peer)

    def withdraw(self, key: str, peer: str) -> list[Description]:
        """Remove an advertisement of one of our peers; returns the changed descriptions."""
        if self._registrations.get(peer, {}).pop(key, None) is None:
            return []
        return self._combine(peer)

    def _combine(self, peer: str) -> list[Description]:
        wanted = combined(self._registrations[peer].values())
        if not wanted:
            del self._registrations[peer]
        return [one for changed in _replace(self.peers, peer, wanted) for one in changed]

    def initial(self, down: Downstream) -> list[Action]:
        """Everything that a new downstream has to know, in messages of limited size."""
        found = self._advertised(down.dimension)
        down.advertised = set(found)
        descriptions = tuple(found.values())
        pieces = [
            descriptions[start : start + _MOST_AT_ONCE] for start in range(0, max(len(descriptions), 1), _MOST_AT_ONCE)
        ]
        return [
            SendMessage(down.other, Advertise(down.dimension, piece, (), is_first=number == 0))
            for number, piece in enumerate(pieces)
        ]

    def announce(self, changed: Iterable[Description]) -> list[Action]:
        """Send changed descriptions to each downstream that they concern."""
        changed = list(changed)
        return [action for down in self._attachments.downstreams() for action in self._announce(down, changed)]

    def replace(self, dimension: int, wanted: Iterable[Description]) -> tuple[list[Description], list[Description]]:
        """Replace the descriptions of a dimension; returns what is new, and what is gone."""
        return _replace(self.dimensions, dimension, {description.key: description for description in wanted})

    def change(
        self, dimension: int, added: Iterable[Description], removed: Iterable[str]
    ) -> tuple[list[Description], list[Description]]:
        """Update the index of a dimension; returns what is new, and what is gone."""
        return _change(self.dimensions, dimension, added, removed)

    def _announce(self, down: Downstream, changed: list[Description]) -> list[Action]:
        added, removed = [], []
        for description in changed:
            is_advertised = self._is_advertised(description.key, down.dimension)
            if is_advertised and description.key not in down.advertised:
                down.advertised.add(description.key)
                added.append(description)
            elif not is_advertised and description.key in down.advertised:
                down.advertised.discard(description.key)
                removed.append(description.key)
        return (
            [SendMessage(down.other, Advertise(down.dimension, tuple(added), tuple(removed)))]
            if added or removed
            else []
        )

    def _is_advertised(self, key: str, dimension: int) -> bool:
        return bool(self.peers.targets(key)) or any(above > dimension for above in self.dimensions.targets(key))

    def _advertised(self, dimension: int) -> dict[str, Description]:
        return {
            description.key: description
            for index in (self.peers, self.dimensions)
            for description in index.all_descriptions()
            if self._is_advertised(description.key, dimension)
        }


def _replace(
    index: AdvertisementIndex[T], target: T, wanted: Mapping[str, Description]
) -> tuple[list[Description], list[Description]]:
    old = dict(index.describes(target))
    added = [description for key, description in wanted.items() if key not in old]
    return _change(index, target, added, [key for key in old if key not in wanted])


def _change(
    index: AdvertisementIndex[T], target: T, added: Iterable[Description], removed: Iterable[str]
) -> tuple[list[Description], list[Description]]:
    known = index.describes(target)
    gone = [known[key] for key in removed if key in known]
    for description in gone:
        index.remove(description.key, target)
    return [description for description in added if index.add(description, target)], gone
