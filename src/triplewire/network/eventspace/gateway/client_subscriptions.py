"""The subscriptions of a node's clients. A subscription keeps its stamp however often it is sent."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from triplewire.errors import DuplicateSubscription
from triplewire.network.can.journal import Journal
from triplewire.network.eventspace.messages import SpaceSubscription, SubscriptionKey

# The table of what is only a node's own.
GATEWAY = "gateway"
_PREFIX = b"subscription\0"
_ENCODER = msgspec.msgpack.Encoder()


class ClientSubscription(Struct, frozen=True, array_like=True):
    """A subscription by its identifier, as it was sent; whether every zone that it concerns has it."""

    id: str
    sent: SpaceSubscription
    is_established: bool = False


_DECODER = msgspec.msgpack.Decoder(ClientSubscription)


class ClientSubscriptions:
    """By identifier and by key, in the journal and in memory."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        known = (_DECODER.decode(value) for _, value in journal.items(GATEWAY, _PREFIX))
        self._by_id = {subscription.id: subscription for subscription in known}
        self._ids = {subscription.sent.key: subscription.id for subscription in self._by_id.values()}

    def __len__(self) -> int:
        return len(self._by_id)

    def get(self, subscription_id: str) -> ClientSubscription | None:
        return self._by_id.get(subscription_id)

    def repeated(self, subscription_id: str, language: str, text: str) -> ClientSubscription | None:
        """The subscription, if it is known; another text under its identifier is refused."""
        known = self._by_id.get(subscription_id)
        if known is not None and (known.sent.language, known.sent.text) != (language, text):
            raise DuplicateSubscription(
                wanted=f"one query under the identifier {subscription_id!r}", found="another one in the event space"
            )
        return known

    def put(self, subscription: ClientSubscription) -> None:
        self._by_id[subscription.id] = subscription
        self._ids[subscription.sent.key] = subscription.id
        self._journal.put(GATEWAY, _PREFIX + subscription.id.encode(), _ENCODER.encode(subscription))

    @property
    def all_ids(self) -> tuple[str, ...]:
        return tuple(sorted(self._by_id))

    def remove(self, subscription_id: str) -> ClientSubscription | None:
        """Remove a subscription; returns it if there was one."""
        known = self._by_id.pop(subscription_id, None)
        if known is None:
            return None
        del self._ids[known.sent.key]
        self._journal.delete(GATEWAY, _PREFIX + subscription_id.encode())
        return known

    def ids(self, keys: Iterable[SubscriptionKey]) -> tuple[str, ...]:
        """The identifiers of those that are still there."""
        return tuple(sorted(self._ids[key] for key in keys if key in self._ids))
