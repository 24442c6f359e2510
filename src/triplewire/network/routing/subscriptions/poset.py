"""The subscription poset (Chirita et al., section 3.3) and the matching of notifications by it (algorithm 2).

A subscription is below those that it implies; each has its origins, where it came from: a local peer, or a
super-peer over a dimension. The order is kept as its transitive reduction: parents are the narrowest of the wider ones.

Where two imply each other the older is above, so there is never a cycle. The order is no finer than the reasoner's
answers, which may miss a yes; that costs work, and never a match.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from msgspec import Struct, field

from triplewire.network.messages import Publication, StandingQuery
from triplewire.network.routing.publications import event_of
from triplewire.network.routing.subscriptions.partial_order import Order
from triplewire.network.routing.subscriptions.reasoner import QuickImplication, Reasoner
from triplewire.network.routing.subscriptions.trait_index import TraitIndex
from triplewire.network.routing.subscriptions.traits import traits_in, traits_of

O = TypeVar("O", bound=Hashable)  # noqa: E741  the letter of the type, not a name


class _Node(Struct, Generic[O], eq=False):
    """A subscription and where it came from. The set is a dict, which keeps its order."""

    query: StandingQuery
    origins: dict[O, None] = field(default_factory=dict)


class Poset(Generic[O]):
    """Subscriptions in their order, with origins."""

    def __init__(self, reasoner: Reasoner) -> None:
        self._reasoner = reasoner
        self._may_imply = reasoner.may_imply if isinstance(reasoner, QuickImplication) else reasoner.implies
        self._nodes: dict[str, _Node[O]] = {}
        self._order = Order()
        self._roots = TraitIndex()
        self._all = TraitIndex()

    # Change

    def add(self, query: StandingQuery, origin: O) -> bool:
        """Add a query with an origin; whether the query is new."""
        is_new = query.key not in self._nodes
        if is_new:
            self._insert(query)
        self._nodes[query.key].origins[origin] = None
        return is_new

    def remove(self, key: str, origin: O) -> bool:
        """Remove an origin of a query; whether that was the last one, so that the query is removed."""
        node = self._nodes.get(key)
        if node is None or origin not in node.origins:
            return False
        del node.origins[origin]
        if node.origins:
            return False
        self._delete(key)
        return True

    # Reading

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, key: object) -> bool:
        return key in self._nodes

    def __iter__(self) -> Iterator[StandingQuery]:
        """All queries, the oldest first."""
        return (node.query for node in self._nodes.values())

    def query(self, key: str) -> StandingQuery:
        return self._nodes[key].query

    def origins(self, key: str) -> Collection[O]:
        """The origins of a query; none if there is no such query."""
        return self._nodes[key].origins.keys() if key in self._nodes else ()

    @property
    def roots(self) -> tuple[str, ...]:
        """The keys of those that imply no other."""
        return tuple(key for key in self._nodes if not self._order.parents(key))

    def parents(self, key: str) -> tuple[str, ...]:
        return tuple(self._order.parents(key))

    def children(self, key: str) -> tuple[str, ...]:
        return tuple(self._order.children(key))

    def wider(self, query: StandingQuery) -> Iterator[StandingQuery]:
        """Those that the subscription implies, which need not be here itself. It is not among them."""
        found = self._order.above(query.key) if query.key in self._nodes else self._implied_by(query)
        return (self._nodes[key].query for key in found)

    def narrower(self, key: str) -> Iterator[StandingQuery]:
        """Those that imply the subscription, the nearest first."""
        return (self._nodes[below].query for below in self._order.below(key))

    def lines(self, format_origin: Callable[[O], str] = str) -> Iterator[str]:
        """The poset as an indented tree. What has several parents appears below each, and is unfolded only once."""
        unfolded: set[str] = set()
        waiting = [(0, root) for root in reversed(self.roots)]
        while waiting:
            depth, key = waiting.pop()
            node, children = self._nodes[key], self.children(key)
            origins = ", ".join(sorted(map(format_origin, node.origins)))
            # Without this a poset of a few hundred could have more paths than anybody can print.
            is_repeated = bool(children) and key in unfolded
            yield f"{'  ' * depth}{' '.join(node.query.text.split())}  [{origins}]{' ...' if is_repeated else ''}"
            if not is_repeated:
                unfolded.add(key)
                waiting.extend((depth + 1, child) for child in reversed(children))

    # Algorithm 2

    def matching(self, publication: Publication) -> dict[str, StandingQuery]:
        """The subscriptions that a notification matches: from the roots down, and below a match only.

        Of the roots only those are tried whose traits the event has.
        """
        found: dict[str, StandingQuery] = {}
        tried: set[str] = set()
        waiting = list(self._roots.with_traits(traits_in(event_of(publication))))
        while waiting:
            key = waiting.pop()
            if key in tried:
                continue
            tried.add(key)
            node = self._nodes[key]
            if self._reasoner.matches(node.query, publication):
                found[key] = node.query
                waiting.extend(self._order.children(key))
        return found

    # The order

    def _insert(self, query: StandingQuery) -> None:
        above = self._implied_by(query)
        parents = self._order.lowest(above)
        children = self._implying(query, parents, above)
        self._order.add(query.key, parents=parents, children=children)
        self._nodes[query.key] = _Node(query)
        self._all.add(query.key, traits_of(query))
        self._update_roots(query.key, *children)

    def _delete(self, key: str) -> None:
        children = self.children(key)
        self._order.remove(key)
        traits = traits_of(self._nodes.pop(key).query)
        self._all.remove(key, traits)
        self._roots.remove(key, traits)
        self._update_roots(*children)

    def _update_roots(self, *keys: str) -> None:
        """Update the index of roots for keys whose parents have changed."""
        for key in keys:
            change = self._roots.remove if self._order.parents(key) else self._roots.add
            change(key, traits_of(self._nodes[key].query))

    def _implied_by(self, query: StandingQuery) -> dict[str, None]:
        """The keys of all that the subscription implies.

        The quick test finds those that it may imply, from the roots down. Then a proof is tried from the narrowest of
        them up, since what implies one implies all above it.
        """
        likely = self._likely_above(query)
        waiting = self._order.lowest(likely)
        found: dict[str, None] = {}
        tried: set[str] = set()
        while waiting:
            key = waiting.pop()
            if key in tried or key in found:
                continue
            tried.add(key)
            if self._reasoner.implies(query, self._nodes[key].query):
                found[key] = None
                found.update(self._order.above(key))
            else:
                waiting.extend(parent for parent in self._order.parents(key) if parent in likely)
        return found

    def _likely_above(self, query: StandingQuery) -> dict[str, None]:
        traits = traits_of(query)
        found: dict[str, None] = {}
        tried: set[str] = {query.key}
        waiting = list(self._roots.implied_by(traits))
        while waiting:
            key = waiting.pop()
            if key in tried:
                continue
            tried.add(key)
            node = self._nodes[key]
            if traits.may_imply(traits_of(node.query)) and self._may_imply(query, node.query):
                found[key] = None
                waiting.extend(self._order.children(key))
        return found

    def _implying(self, query: StandingQuery, parents: Iterable[str], above: Mapping[str, None]) -> list[str]:
        """The widest of those that imply the subscription and are not among those that it implies.

        The widest are asked first, since whatever is below one that implies it implies it too.
        """
        likely = self._likely_below(query, parents)
        found: dict[str, None] = {}
        known = dict(above)
        for key in sorted(likely, key=lambda key: not likely.keys().isdisjoint(self._order.parents(key))):
            if key not in known and self._reasoner.implies(self._nodes[key].query, query):
                found[key] = None
                known.update(self._order.below(key))
        return [key for key in found if found.keys().isdisjoint(self._order.above(key))]

    def _likely_below(self, query: StandingQuery, parents: Iterable[str]) -> dict[str, None]:
        traits = traits_of(query)
        candidates = ((key, self._nodes[key].query) for key in self._candidates_below(query, parents))
        return {
            key: None
            for key, narrow in candidates
            if traits_of(narrow).may_imply(traits) and self._may_imply(narrow, query)
        }

    def _candidates_below(self, query: StandingQuery, parents: Iterable[str]) -> Iterable[str]:
        """What is below one parent, since all that is narrower is below every one; or what shows the traits."""
        parent = next(iter(parents), None)
        return self._all.implying(traits_of(query)) if parent is None else self._order.below(parent)
