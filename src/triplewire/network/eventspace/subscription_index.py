"""The subscriptions of some zones, found by the quadruples that meet the first pattern of one of their chains."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from msgspec import Struct

from triplewire.matching.chains.rewriting import Chain, Rewriting
from triplewire.matching.evaluation.event_view import Key, Mask, Row, key_of, mask_of
from triplewire.network.eventspace.chains import chains_of
from triplewire.network.eventspace.messages import SpaceSubscription, SubscriptionKey
from triplewire.rdf.terms import NamedNode


class Start(Struct, frozen=True):
    """A chain of a subscription after its first step."""

    subscription: SpaceSubscription
    number: int
    chain: Chain
    rewriting: Rewriting


class SubscriptionIndex:
    """Each chain under the constants of its first pattern. What was removed does not come back, however late it is."""

    def __init__(self) -> None:
        self._subscriptions: dict[SubscriptionKey, SpaceSubscription] = {}
        self._removed: set[SubscriptionKey] = set()
        self._entries: defaultdict[Key, dict[tuple[SubscriptionKey, int], Chain]] = defaultdict(dict)
        self._masks: Counter[Mask] = Counter()

    def __iter__(self) -> Iterator[SpaceSubscription]:
        return iter(self._subscriptions.values())

    def __contains__(self, key: SubscriptionKey) -> bool:
        return key in self._subscriptions

    def add(self, subscription: SpaceSubscription) -> None:
        """Index a subscription, unless it was removed."""
        if subscription.key in self._subscriptions or subscription.key in self._removed:
            return
        self._subscriptions[subscription.key] = subscription
        for number, chain in enumerate(chains_of(subscription)):
            self._entries[chain.first_key][subscription.key, number] = chain
            self._masks[mask_of(chain.first_key)] += 1

    @property
    def removed(self) -> tuple[SubscriptionKey, ...]:
        return tuple(sorted(self._removed))

    def remove(self, key: SubscriptionKey) -> None:
        """Remove a subscription for good."""
        self._removed.add(key)
        self.drop(key)

    def drop(self, key: SubscriptionKey) -> None:
        """Drop a subscription that concerns nothing here; it may come again."""
        subscription = self._subscriptions.pop(key, None)
        for number, chain in enumerate(chains_of(subscription) if subscription else ()):
            self._masks[mask_of(chain.first_key)] -= 1
            entries = self._entries[chain.first_key]
            del entries[key, number]
            if not entries:
                del self._entries[chain.first_key]

    def starts(self, row: Row, graph: NamedNode) -> Iterator[Start]:
        """Every chain that can begin with a quadruple, after that step."""
        for mask in [mask for mask, uses in self._masks.items() if uses]:
            for (key, number), chain in self._entries.get(key_of(row, mask), {}).items():
                found = first_step(chain, row, graph)
                if found is not None:
                    yield Start(self._subscriptions[key], number, chain, found)


def first_step(chain: Chain, row: Row, graph: NamedNode) -> Rewriting | None:
    """A chain after its first step by a quadruple; None if that does not fit."""
    begun = chain.begin(graph)
    return None if begun is None else chain.extend(begun, row)
