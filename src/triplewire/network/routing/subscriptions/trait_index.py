"""An index of standing queries by their traits, so that few have to be compared.

Each is indexed under one of its traits, its anchor, to find wider ones: a query that has all of its traits has the
anchor. And under every trait that it shows or hides, to find narrower ones.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from typing import TypeVar

from triplewire.network.routing.subscriptions.traits import Trait, Traits
from triplewire.rdf.terms import NamedNode

K = TypeVar("K", bound=Hashable)
Keys = dict[str, None]


class TraitIndex:
    """Keys of standing queries by their traits."""

    def __init__(self) -> None:
        self._anchored: dict[Trait | None, Keys] = {}
        # The anchors that have an object, by their predicate.
        self._anchors_by_predicate: dict[NamedNode, dict[Trait, None]] = {}
        self._by_trait: dict[Trait, Keys] = {}
        self._by_hidden_predicate: dict[NamedNode, Keys] = {}
        self._hiding_everything: Keys = {}
        self._keys: Keys = {}

    def add(self, key: str, traits: Traits) -> None:
        """Add a key; a second time changes nothing."""
        anchor = traits.anchor
        self._keys[key] = None
        _insert(self._anchored, anchor, key)
        if anchor is not None and anchor[1] is not None:
            self._anchors_by_predicate.setdefault(anchor[0], {})[anchor] = None
        for trait in traits.shown:
            _insert(self._by_trait, trait, key)
        for name in traits.hidden:
            _insert(self._by_hidden_predicate, name, key)
        if traits.hides_all:
            self._hiding_everything[key] = None

    def remove(self, key: str, traits: Traits) -> None:
        """Remove a key, if it is there."""
        if key not in self._keys:
            return
        del self._keys[key]
        anchor = traits.anchor
        _discard(self._anchored, anchor, key)
        if anchor is not None and anchor[1] is not None and anchor not in self._anchored:
            del self._anchors_by_predicate[anchor[0]][anchor]
        for trait in traits.shown:
            _discard(self._by_trait, trait, key)
        for name in traits.hidden:
            _discard(self._by_hidden_predicate, name, key)
        self._hiding_everything.pop(key, None)

    def with_traits(self, traits: Iterable[Trait]) -> Iterator[str]:
        """The keys whose anchor is among these traits of an event."""
        for trait in (None, *traits):
            yield from self._anchored.get(trait, ())

    def implied_by(self, narrow: Traits) -> Collection[str]:
        """A superset of the keys that a query with these traits may imply."""
        if narrow.hides_all:
            return tuple(self._keys)
        hidden = (anchor for name in narrow.hidden for anchor in self._anchors_by_predicate.get(name, ()))
        return tuple(dict.fromkeys(self.with_traits((*narrow.shown, *hidden))))

    def implying(self, wide: Traits) -> Collection[str]:
        """A superset of the keys that may imply a query with these traits: by its rarest trait."""
        if not wide.shown:
            return tuple(self._keys)
        index = [self._with_trait(trait) for trait in wide.shown]
        fewest = min(index, key=lambda keys: sum(map(len, keys)))
        return tuple(dict.fromkeys(key for part in (*fewest, self._hiding_everything) for key in part))

    def _with_trait(self, trait: Trait) -> tuple[Keys, ...]:
        hidden = self._by_hidden_predicate.get(trait[0], {}) if trait[1] is not None else {}
        return self._by_trait.get(trait, {}), hidden


def _insert(index: dict[K, Keys], key_of: K, key: str) -> None:
    index.setdefault(key_of, {})[key] = None


def _discard(index: dict[K, Keys], key_of: K, key: str) -> None:
    del index[key_of][key]
    if not index[key_of]:
        del index[key_of]
