"""The subscriptions of some zones, found by the quadruples that meet the first pattern of one of their chains."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from triplewire.matching.chains.rewriting import Chain
from triplewire.network.can.geometry.space import Bounds
from triplewire.network.can.journal import Journal
from triplewire.network.eventspace.chains import Constants, SpelledKey, chains_of, constants_of, spelled
from triplewire.network.eventspace.chunks import REMOVED, SUBSCRIPTIONS
from triplewire.network.eventspace.messages import SpaceSubscription, SubscriptionKey
from triplewire.network.eventspace.quads import SpelledTriple

_Mask = tuple[bool, bool, bool]

_ENCODER = msgspec.msgpack.Encoder()
_SUBSCRIPTION = msgspec.msgpack.Decoder(SpaceSubscription)
_BOUNDS = msgspec.msgpack.Decoder(tuple[Bounds, ...])


class Start(Struct, frozen=True):
    """A chain whose first pattern a quadruple has the constants of; `constants` are those of all its subscription."""

    subscription: SpaceSubscription
    number: int
    chain: Chain
    constants: tuple[Constants, ...]


class SubscriptionIndex:
    """Each chain under the constants of its first pattern. What was removed does not come back, however late it is.

    Subscriptions are in the journal and, to be found, in memory; removals, which are asked for by key, in the journal
    only.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._subscriptions: dict[SubscriptionKey, SpaceSubscription] = {}
        self._entries: defaultdict[SpelledKey, dict[tuple[SubscriptionKey, int], Start]] = defaultdict(dict)
        self._masks: Counter[_Mask] = Counter()
        for _, value in journal.items(SUBSCRIPTIONS):
            self._file(_SUBSCRIPTION.decode(value))

    def __iter__(self) -> Iterator[SpaceSubscription]:
        return iter(self._subscriptions.values())

    def __len__(self) -> int:
        return len(self._subscriptions)

    def __contains__(self, key: SubscriptionKey) -> bool:
        return key in self._subscriptions

    def add(self, subscription: SpaceSubscription) -> None:
        """Index a subscription, unless it was removed."""
        key = journal_key(subscription.key)
        if subscription.key not in self._subscriptions and self._journal.get(REMOVED, key) is None:
            self._journal.put(SUBSCRIPTIONS, key, _ENCODER.encode(subscription))
            self._file(subscription)

    def remove(self, key: SubscriptionKey, bounds: tuple[Bounds, ...]) -> None:
        """Remove a subscription for good. The bounds are where it was indexed: the removal goes where it would."""
        if self._journal.get(REMOVED, journal_key(key)) is None:
            self._journal.put(REMOVED, journal_key(key), _ENCODER.encode(bounds))
        self.drop(key)

    def drop(self, key: SubscriptionKey) -> None:
        """Drop a subscription that concerns nothing here; it may come again."""
        subscription = self._subscriptions.pop(key, None)
        if subscription is None:
            return
        self._journal.delete(SUBSCRIPTIONS, journal_key(key))
        for number, chain in enumerate(chains_of(subscription)):
            first = spelled(chain.first_key)
            self._masks[_mask(first)] -= 1
            entries = self._entries[first]
            del entries[key, number]
            if not entries:
                del self._entries[first]

    def removals(self) -> Iterator[tuple[bytes, bytes, tuple[Bounds, ...]]]:
        """What was removed: key and value as the journal has them, and where it would be indexed."""
        for key, value in self._journal.items(REMOVED):
            yield key, value, _BOUNDS.decode(value)

    def starts(self, row: SpelledTriple) -> Iterator[Start]:
        """Every chain whose first pattern a quadruple has the constants of."""
        subject, predicate, obj = row
        for (by_subject, by_predicate, by_object), uses in self._masks.items():
            if uses:
                key = subject if by_subject else None, predicate if by_predicate else None, obj if by_object else None
                found = self._entries.get(key)
                if found:
                    yield from found.values()

    def _file(self, subscription: SpaceSubscription) -> None:
        self._subscriptions[subscription.key] = subscription
        for number, chain in enumerate(chains_of(subscription)):
            first = spelled(chain.first_key)
            self._entries[first][subscription.key, number] = Start(
                subscription, number, chain, constants_of(subscription)
            )
            self._masks[_mask(first)] += 1


def subscription_in(value: bytes) -> SpaceSubscription:
    """A subscription as the journal has it."""
    return _SUBSCRIPTION.decode(value)


def bounds_in(value: bytes) -> tuple[Bounds, ...]:
    """The bounds of a removal as the journal has them."""
    return _BOUNDS.decode(value)


def journal_key(key: SubscriptionKey) -> bytes:
    """A subscription's key in the journal."""
    return key[0].encode() + b"\0" + key[1].to_bytes(8, "big")


def key_in(encoded: bytes) -> SubscriptionKey:
    """A subscription's key that was in the journal."""
    return encoded[:-9].decode(), int.from_bytes(encoded[-8:], "big")


def _mask(key: SpelledKey) -> _Mask:
    return key[0] is not None, key[1] is not None, key[2] is not None
