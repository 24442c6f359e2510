"""Files: standing queries filed so that few have to be looked at.

Each is filed under one of its traits, its anchor, for those who look for wider ones: whoever has all of its traits has
the anchor. And under every trait that it shows or hides, for those who look for narrower ones.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from typing import TypeVar

from triplewire.network.routing.subscriptions.traits import Trait, Traits
from triplewire.rdf.terms import NamedNode

K = TypeVar("K", bound=Hashable)
Shelf = dict[str, None]


class Files:
    """Keys of standing queries by their traits."""

    def __init__(self) -> None:
        self._anchored: dict[Trait | None, Shelf] = {}
        # The anchors that have an object, by their predicate.
        self._anchors: dict[NamedNode, dict[Trait, None]] = {}
        self._showing: dict[Trait, Shelf] = {}
        self._hiding: dict[NamedNode, Shelf] = {}
        self._hiding_all: Shelf = {}
        self._keys: Shelf = {}

    def put(self, key: str, traits: Traits) -> None:
        """File a key; a second time changes nothing."""
        anchor = traits.anchor
        self._keys[key] = None
        _file(self._anchored, anchor, key)
        if anchor is not None and anchor[1] is not None:
            self._anchors.setdefault(anchor[0], {})[anchor] = None
        for trait in traits.shown:
            _file(self._showing, trait, key)
        for name in traits.hidden:
            _file(self._hiding, name, key)
        if traits.hides_all:
            self._hiding_all[key] = None

    def drop(self, key: str, traits: Traits) -> None:
        """Take a key out, if it is filed."""
        if key not in self._keys:
            return
        del self._keys[key]
        anchor = traits.anchor
        _take(self._anchored, anchor, key)
        if anchor is not None and anchor[1] is not None and anchor not in self._anchored:
            del self._anchors[anchor[0]][anchor]
        for trait in traits.shown:
            _take(self._showing, trait, key)
        for name in traits.hidden:
            _take(self._hiding, name, key)
        self._hiding_all.pop(key, None)

    def with_traits(self, traits: Iterable[Trait]) -> Iterator[str]:
        """Those whose anchor is among these traits of an event."""
        for trait in (None, *traits):
            yield from self._anchored.get(trait, ())

    def implied_by(self, narrow: Traits) -> Collection[str]:
        """Those that a query with these traits may imply, and more."""
        if narrow.hides_all:
            return tuple(self._keys)
        hidden = (anchor for name in narrow.hidden for anchor in self._anchors.get(name, ()))
        return tuple(dict.fromkeys(self.with_traits((*narrow.shown, *hidden))))

    def implying(self, wide: Traits) -> Collection[str]:
        """Those that may imply a query with these traits, and more: by the trait that the fewest have."""
        if not wide.shown:
            return tuple(self._keys)
        shelves = [self._having(trait) for trait in wide.shown]
        fewest = min(shelves, key=lambda shelf: sum(map(len, shelf)))
        return tuple(dict.fromkeys(key for part in (*fewest, self._hiding_all) for key in part))

    def _having(self, trait: Trait) -> tuple[Shelf, ...]:
        hiding = self._hiding.get(trait[0], {}) if trait[1] is not None else {}
        return self._showing.get(trait, {}), hiding


def _file(shelves: dict[K, Shelf], place: K, key: str) -> None:
    shelves.setdefault(place, {})[key] = None


def _take(shelves: dict[K, Shelf], place: K, key: str) -> None:
    del shelves[place][key]
    if not shelves[place]:
        del shelves[place]
