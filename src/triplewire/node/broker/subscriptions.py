"""Subscriptions: a standing query is checked, stored, and matched from the next event on, or catches up first."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import msgspec

from triplewire.algebra.queries import Construct
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import DuplicateSubscription, InputError, QuotaExceeded, UnknownSubscription
from triplewire.matching.chains.anchors import is_unindexed
from triplewire.node.access.grants import readable
from triplewire.node.broker.state import BrokerState
from triplewire.node.matching.catch_up import CatchUp, numbered, parsed
from triplewire.node.matching.live_matchers import LiveMatchers
from triplewire.store.disk import Connection
from triplewire.store.tables import log, metadata, registry
from triplewire.store.tables.identities import Client, Grant
from triplewire.store.tables.registry import SubscriptionOptions, SubscriptionRecord

TAXONOMY = "taxonomy"


class Subscriptions:
    """Standing queries, their owners' rights, and the taxonomy that events are read by.

    `followers` are called with each that begins or has ended, on the writer's thread; `index` has those that stand, and
    views as well. `endings` are called with the number of each, view or not, that has ended.
    `holdings` say how many more, that are in no index, an owner has.
    `spread` waits until a new one stands elsewhere, too.
    """

    def __init__(self, state: BrokerState, catch_up: CatchUp) -> None:
        self.followers: list[Callable[[SubscriptionRecord], None]] = []
        self.endings: list[Callable[[int], None]] = []
        self.holdings: list[Callable[[str], int]] = []
        self.spread: Callable[[SubscriptionRecord], Awaitable[None]] | None = None
        self.index = state.index
        self._state = state
        self._catch_up = catch_up

    async def subscribe(
        self,
        client: Client,
        name: str,
        language: str,
        text: str,
        options: SubscriptionOptions,
        start: int | None = None,
    ) -> SubscriptionRecord:
        """Leave a standing query. `start` is the position after which it begins, None the end of the log.

        The same query under the same name only changes options; another one is `DuplicateSubscription`.
        """
        self._state.know(client)
        readable(client)
        subscription = Subscription.parse(text, language, id=name, owner=client.id)
        if options.payload == "construct" and not isinstance(subscription.query.form, Construct):
            raise InputError(wanted="a CONSTRUCT query with payload=construct", found="another")
        known = self._state.index.named(client.id, name)
        if known is None:
            record = await self._begin(client, subscription, options, start)
        else:
            record = await self._change(known, subscription, options)
        if self.spread is not None:
            await self.spread(record)
        return record

    async def unsubscribe(self, number: int) -> None:
        """Forget a subscription and everything that waits for it."""
        self._state.index.require(number)
        await self._state.store.write_alone(lambda tx: registry.delete(tx, number), lambda _: self.ended(number))

    async def reset(self, number: int, start: int | None = None) -> SubscriptionRecord:
        """Begin a subscription again after another position, None the end of the log; what waits for it is dropped.

        It gets a new number, so that nothing which is under way for the old one can reach the new one.
        """
        self._state.index.require(number)

        def begun_again(record: SubscriptionRecord) -> None:
            self.ended(number)
            self._subscribed(record, parsed(record))

        return await self._state.store.write_alone(lambda tx: _begun_again(tx, number, start), begun_again)

    async def set_rights(self, client: Client) -> None:
        """Give a client other rights; its subscriptions read under the new grant from the next event on."""
        self._state.know(client)
        await self._state.store.write_alone(lambda _: None, lambda _: self._took_rights(client))

    async def set_taxonomy(self, taxonomy: Taxonomy | None) -> None:
        """Read events by another taxonomy from now on."""
        text = None if taxonomy is None else "".join(f"{triple} .\n" for triple in taxonomy.triples)
        await self._state.store.write_alone(
            lambda tx: metadata.put(tx, TAXONOMY, text), lambda _: self._took_taxonomy(taxonomy)
        )

    def require(self, owner: str, name: str) -> SubscriptionRecord:
        """An owner's subscription, or `UnknownSubscription`."""
        record = self._state.index.named(owner, name)
        if record is None or record.is_view:
            raise UnknownSubscription(wanted=f"the subscription {name!r}", found="none of that name")
        return record

    # Private: inside the transaction, and before it

    async def _begin(
        self, client: Client, subscription: Subscription, options: SubscriptionOptions, start: int | None
    ) -> SubscriptionRecord:
        self._check_quotas(client, subscription)
        # Asked in a matcher of its own first: what cannot be evaluated is refused before anything is stored.
        await asyncio.to_thread(LiveMatchers().add, subscription, Grant())
        return await self._state.store.write_alone(
            lambda tx: self._insert(tx, client, subscription, options, start),
            lambda record: self._subscribed(record, subscription),
        )

    def _insert(
        self,
        tx: Connection,
        client: Client,
        subscription: Subscription,
        options: SubscriptionOptions,
        start: int | None,
    ) -> SubscriptionRecord:
        known = self._state.index.named(client.id, subscription.id)
        if known is not None:
            require_same(known, subscription.language, subscription.text)
            return known
        language, text = subscription.language, subscription.text
        fresh = SubscriptionRecord(0, client.id, subscription.id, language, text, options, 0, None, 0)
        return registry.insert(tx, _beginning(tx, fresh, start))

    async def _change(
        self, known: SubscriptionRecord, subscription: Subscription, options: SubscriptionOptions
    ) -> SubscriptionRecord:
        require_same(known, subscription.language, subscription.text)
        return await self.set_options(known, options)

    async def set_options(self, known: SubscriptionRecord, options: SubscriptionOptions) -> SubscriptionRecord:
        """Change how notifications are made and sent; one that is paused stays so."""
        return await self._set_options(known, msgspec.structs.replace(options, paused=known.options.paused))

    async def pause(self, number: int, *, paused: bool) -> SubscriptionRecord:
        """Hand nothing out until it is resumed, to no reader and no webhook; or go on where that was."""
        known = self._state.index.require(number)
        fresh = await self._set_options(known, msgspec.structs.replace(known.options, paused=paused))
        self._state.wake({number})
        return fresh

    async def _set_options(self, known: SubscriptionRecord, options: SubscriptionOptions) -> SubscriptionRecord:
        if known.options != options:
            await self._state.store.write(
                lambda tx: registry.set_options(tx, known.number, options),
                lambda _: self._state.index.change(known.number, options=options),
            )
        return self._state.index.require(known.number)

    def _check_quotas(self, client: Client, subscription: Subscription) -> None:
        self.require_room(client)
        quotas = client.rights.quotas
        if quotas.unindexed is None or not is_unindexed(subscription):
            return
        count = self._state.index.unindexed_of(client.id)
        if count >= quotas.unindexed:
            wanted = f"at most {quotas.unindexed} subscriptions that are tested on every event"
            raise QuotaExceeded("unindexed", wanted=wanted, found=str(count))

    def require_room(self, client: Client) -> None:
        """Raise `QuotaExceeded` if the client has as many subscriptions and views as it may have."""
        quotas = client.rights.quotas
        if quotas.subscriptions is None:
            return
        count = len(self._state.index.of(client.id)) + sum(holding(client.id) for holding in self.holdings)
        if count >= quotas.subscriptions:
            wanted = f"at most {quotas.subscriptions} subscriptions and views"
            raise QuotaExceeded("subscriptions", wanted=wanted, found=str(count))

    # Private: after a commit, on the writer's thread

    def _subscribed(self, record: SubscriptionRecord, subscription: Subscription) -> None:
        self._state.index.put(record)
        self._state.index.progress(record.number).is_unindexed = is_unindexed(subscription)
        if record.is_live:
            self._state.matchers.add(numbered(subscription, record), self._state.grant(record.owner))
        else:
            self._catch_up.advance(record.number)
        self._tell(record)

    def ended(self, number: int) -> None:
        """A subscription or view is gone. After the commit, on the writer's thread."""
        record = self._state.index.get(number)
        self._state.matchers.remove(str(number))
        self._catch_up.forget(number)
        self._state.index.remove(number)
        self._state.wake({number})
        for ending in self.endings:
            ending(number)
        if record is not None and not record.is_view:
            self._tell(record)

    def _tell(self, record: SubscriptionRecord) -> None:
        for follower in self.followers:
            follower(record)

    def _took_taxonomy(self, taxonomy: Taxonomy | None) -> None:
        self._state.taxonomy = taxonomy
        self._state.matchers.set_taxonomy(taxonomy)
        self._catch_up.set_taxonomy(taxonomy)

    def _took_rights(self, client: Client) -> None:
        for record in self._state.index.of(client.id):
            self._catch_up.forget(record.number)
            if str(record.number) in self._state.matchers:
                self._state.matchers.remove(str(record.number))
                self._state.matchers.add(parsed(record), self._state.grant(client.id))


def _beginning(tx: Connection, record: SubscriptionRecord, start: int | None) -> SubscriptionRecord:
    """The record as it is after which position it begins; it catches up from there, if that is not the log's end."""
    head = log.head(tx)
    created = head if start is None else min(start, head)
    frontier = None if created == head else created
    return msgspec.structs.replace(record, created=created, frontier=frontier, cursor=created, gap=0, quarantined=None)


def _begun_again(tx: Connection, number: int, start: int | None) -> SubscriptionRecord:
    known = registry.find(tx, number)
    if known is None:
        raise UnknownSubscription(wanted="a subscription to begin again", found="that it has just been deleted")
    return registry.replace(tx, number, _beginning(tx, known, start))


def require_same(known: SubscriptionRecord, language: str, text: str) -> None:
    """Raise `DuplicateSubscription` unless a subscription or view has this query."""
    if (known.language, known.text) != (language, text):
        raise DuplicateSubscription(
            f"the name {known.name!r} is taken by another query",
            hint="delete it first, or choose another name",
        )
