"""The subscription poset (Chirita et al., section 3.3) and the matching of notifications by it (algorithm 2).

A subscription stands below those that it implies; each knows its origins, where it came from: a local peer, or a
super-peer over a dimension. The order is kept as its transitive reduction: parents are the narrowest of the wider ones.

Where two imply each other the older stands above, so there is never a cycle. The order is no finer than the reasoner's
answers, which may miss a yes; that costs work, and never a match.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from msgspec import Struct, field

from triplewire.network.messages import Publication, Standing
from triplewire.network.routing.publications import event_of
from triplewire.network.routing.subscriptions.partial_order import Order
from triplewire.network.routing.subscriptions.query_index import Files
from triplewire.network.routing.subscriptions.reasoner import Glancing, Reasoner
from triplewire.network.routing.subscriptions.traits import traits_in, traits_of

O = TypeVar("O", bound=Hashable)  # noqa: E741  the letter of the type, not a name


class _Entry(Struct, Generic[O], eq=False):
    """A subscription and where it came from. The set is a dict, which keeps its order."""

    standing: Standing
    origins: dict[O, None] = field(default_factory=dict)


class Poset(Generic[O]):
    """Subscriptions in their order, with origins."""

    def __init__(self, reasoner: Reasoner) -> None:
        self._reasoner = reasoner
        self._glance = reasoner.may_imply if isinstance(reasoner, Glancing) else reasoner.implies
        self._entries: dict[str, _Entry[O]] = {}
        self._order = Order()
        self._roots = Files()
        self._all = Files()

    # Change

    def add(self, standing: Standing, origin: O) -> bool:
        """Subscribe from somewhere; whether the subscription is new here."""
        is_new = standing.key not in self._entries
        if is_new:
            self._insert(standing)
        self._entries[standing.key].origins[origin] = None
        return is_new

    def remove(self, key: str, origin: O) -> bool:
        """Unsubscribe from somewhere; whether that was the last origin, so that the subscription is gone."""
        entry = self._entries.get(key)
        if entry is None or origin not in entry.origins:
            return False
        del entry.origins[origin]
        if entry.origins:
            return False
        self._take_out(key)
        return True

    # Looking

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[Standing]:
        """All subscriptions, the oldest first."""
        return (entry.standing for entry in self._entries.values())

    def standing(self, key: str) -> Standing:
        return self._entries[key].standing

    def origins(self, key: str) -> Collection[O]:
        """Where a subscription came from; nowhere, if there is no such subscription."""
        return self._entries[key].origins.keys() if key in self._entries else ()

    @property
    def roots(self) -> tuple[str, ...]:
        """The keys of those that imply no other."""
        return tuple(key for key in self._entries if not self._order.parents(key))

    def parents(self, key: str) -> tuple[str, ...]:
        return tuple(self._order.parents(key))

    def children(self, key: str) -> tuple[str, ...]:
        return tuple(self._order.children(key))

    def wider(self, standing: Standing) -> Iterator[Standing]:
        """Those that the subscription implies, which need not be here itself. It is not among them."""
        found = self._order.above(standing.key) if standing.key in self._entries else self._implied_by(standing)
        return (self._entries[key].standing for key in found)

    def narrower(self, key: str) -> Iterator[Standing]:
        """Those that imply the subscription, the nearest first."""
        return (self._entries[below].standing for below in self._order.below(key))

    def lines(self, spelled: Callable[[O], str] = str) -> Iterator[str]:
        """The poset as an indented tree. What has several parents appears below each, and is unfolded only once."""
        unfolded: set[str] = set()
        waiting = [(0, root) for root in reversed(self.roots)]
        while waiting:
            depth, key = waiting.pop()
            entry, children = self._entries[key], self.children(key)
            origins = ", ".join(sorted(map(spelled, entry.origins)))
            # Without this a poset of a few hundred could have more paths than anybody can print.
            is_repeated = bool(children) and key in unfolded
            yield f"{'  ' * depth}{' '.join(entry.standing.text.split())}  [{origins}]{' ...' if is_repeated else ''}"
            if not is_repeated:
                unfolded.add(key)
                waiting.extend((depth + 1, child) for child in reversed(children))

    # Algorithm 2

    def matching(self, publication: Publication) -> dict[str, Standing]:
        """The subscriptions that a notification matches: from the roots down, and below a match only.

        Of the roots only those are tried whose traits the event has.
        """
        found: dict[str, Standing] = {}
        tried: set[str] = set()
        waiting = list(self._roots.with_traits(traits_in(event_of(publication))))
        while waiting:
            key = waiting.pop()
            if key in tried:
                continue
            tried.add(key)
            entry = self._entries[key]
            if self._reasoner.matches(entry.standing, publication):
                found[key] = entry.standing
                waiting.extend(self._order.children(key))
        return found

    # The order

    def _insert(self, standing: Standing) -> None:
        above = self._implied_by(standing)
        parents = self._order.lowest(above)
        children = self._implying(standing, parents, above)
        self._order.put(standing.key, parents=parents, children=children)
        self._entries[standing.key] = _Entry(standing)
        self._all.put(standing.key, traits_of(standing))
        self._file_roots(standing.key, *children)

    def _take_out(self, key: str) -> None:
        children = self.children(key)
        self._order.take_out(key)
        traits = traits_of(self._entries.pop(key).standing)
        self._all.drop(key, traits)
        self._roots.drop(key, traits)
        self._file_roots(*children)

    def _file_roots(self, *keys: str) -> None:
        """Some keys have got other parents: keep the roots filed as such."""
        for key in keys:
            file = self._roots.drop if self._order.parents(key) else self._roots.put
            file(key, traits_of(self._entries[key].standing))

    def _implied_by(self, standing: Standing) -> dict[str, None]:
        """The keys of all that the subscription implies.

        A glance from the roots down finds those that it may imply. Then a proof is sought from the narrowest of them
        up, since whoever implies one implies all above it.
        """
        likely = self._likely_above(standing)
        waiting = self._order.lowest(likely)
        found: dict[str, None] = {}
        tried: set[str] = set()
        while waiting:
            key = waiting.pop()
            if key in tried or key in found:
                continue
            tried.add(key)
            if self._reasoner.implies(standing, self._entries[key].standing):
                found[key] = None
                found.update(self._order.above(key))
            else:
                waiting.extend(parent for parent in self._order.parents(key) if parent in likely)
        return found

    def _likely_above(self, standing: Standing) -> dict[str, None]:
        traits = traits_of(standing)
        found: dict[str, None] = {}
        tried: set[str] = {standing.key}
        waiting = list(self._roots.implied_by(traits))
        while waiting:
            key = waiting.pop()
            if key in tried:
                continue
            tried.add(key)
            entry = self._entries[key]
            if traits.may_imply(traits_of(entry.standing)) and self._glance(standing, entry.standing):
                found[key] = None
                waiting.extend(self._order.children(key))
        return found

    def _implying(self, standing: Standing, parents: Iterable[str], above: Mapping[str, None]) -> list[str]:
        """The widest of those that imply the subscription and are not among those that it implies.

        The widest are asked first, since whatever is below one that implies it implies it too.
        """
        likely = self._likely_below(standing, parents)
        found: dict[str, None] = {}
        known = dict(above)
        for key in sorted(likely, key=lambda key: not likely.keys().isdisjoint(self._order.parents(key))):
            if key not in known and self._reasoner.implies(self._entries[key].standing, standing):
                found[key] = None
                known.update(self._order.below(key))
        return [key for key in found if found.keys().isdisjoint(self._order.above(key))]

    def _likely_below(self, standing: Standing, parents: Iterable[str]) -> dict[str, None]:
        traits = traits_of(standing)
        candidates = ((key, self._entries[key].standing) for key in self._candidates_below(standing, parents))
        return {
            key: None
            for key, narrow in candidates
            if traits_of(narrow).may_imply(traits) and self._glance(narrow, standing)
        }

    def _candidates_below(self, standing: Standing, parents: Iterable[str]) -> Iterable[str]:
        """What is below one parent, since all that is narrower is below every one; or what shows the traits."""
        parent = next(iter(parents), None)
        return self._all.implying(traits_of(standing)) if parent is None else self._order.below(parent)
