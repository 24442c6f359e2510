"""Storage of an access point: does its effects on the broker and the store.

A peer is a client of the node: its public identifier owns its subscriptions, and its off-line notifications are in the
outbox. Records of sessions are stored beside that (`records`).
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import partial
from typing import Protocol

from triplewire.errors import InputError, UnknownAdvertisement, UnknownClient
from triplewire.network.routing.advertisements.registration import registration_in
from triplewire.network.sessions.access_point import effects as do
from triplewire.network.sessions.access_point.records import PeerRecord
from triplewire.network.sessions.peer_messages import Receipt
from triplewire.node.access_point.records import SessionRecords, Work
from triplewire.node.broker.advertisements import Advertisements
from triplewire.node.broker.broker import Broker
from triplewire.node.matching.event_parsing import Given, events_in
from triplewire.rdf.formats import NQUADS
from triplewire.rdf.limits import Limits
from triplewire.store.disk import Connection
from triplewire.store.tables import log
from triplewire.store.tables.identities import Client, Rights
from triplewire.store.tables.registry import SubscriptionOptions

PEER = "peer"
# A notification has the solutions and the event itself: a peer that saves it needs no more.
_OPTIONS = SubscriptionOptions(payload="event")


class AccessPointHost(Protocol):
    """What an access point needs of its node."""

    broker: Broker
    advertisements: Advertisements

    async def adopt(self, client: Client, secret_hash: bytes) -> None: ...

    async def unregister(self, client_id: str) -> None: ...


class PeerNetwork(Protocol):
    """What an access point needs of the network, if the node is in one."""

    async def watermarks(self) -> dict[str, int]: ...

    async def recall(self, since: dict[str, int]) -> None: ...


class AccessPointStorage:
    """Does effects on the store. `id` is the access point's super-peer identifier."""

    def __init__(
        self,
        id: str,  # noqa: A002  the domain's word
        host: AccessPointHost,
        records: SessionRecords,
        limits: Limits,
        network: PeerNetwork | None,
    ) -> None:
        self._id = id
        self._records = records
        self._host = host
        self._broker = host.broker
        self._limits = limits
        self._network = network

    def work_of(self, effect: do.Effect) -> tuple[str, Work]:
        """The queue of an effect, and its work."""
        match effect:
            case do.ReadPending():
                return f"{effect.peer}/{effect.name}", partial(self._pending, effect)
            case do.Acknowledge():
                return f"{effect.peer}/{effect.name}", partial(self._acknowledge, effect)
            case do.AddSubscription():
                return effect.peer, partial(self._subscribe, effect)
            case do.RemoveSubscription():
                return effect.peer, partial(self._unsubscribe, effect)
            case do.PutAdvertisement():
                return effect.peer, partial(self._advertise, effect)
            case do.RemoveAdvertisement():
                return effect.peer, partial(self._unadvertise, effect)
            case do.ReadWatermarks():
                return effect.peer, self._read_watermarks
            case do.KeepPeer():
                return effect.record.id, partial(self._keep_peer, effect.record)
            case do.ForgetPeer():
                return effect.peer, partial(self._forget_peer, effect)
            case _:
                return self._records.work_of(effect)

    # Notifications

    async def _pending(self, effect: do.ReadPending) -> do.Outcome:
        record = self._broker.subscriptions.require(effect.peer, effect.name)
        after = record.cursor if effect.after is None else effect.after
        page = await self._broker.notifications.page(record.number, after, effect.limit)
        positions = [one.position for one in page.notifications]
        places = await self._broker.store.read(lambda tx: [_publisher(tx, place, self._id) for place in positions])
        noted = tuple(
            do.PendingNotification(one.position, one.event, publisher, origin, one.json)
            for one, (publisher, origin) in zip(page.notifications, places, strict=True)
        )
        return do.NotificationPage(noted, page.next is not None, page.gap, after)

    async def _acknowledge(self, effect: do.Acknowledge) -> do.Outcome:
        record = self._broker.subscriptions.require(effect.peer, effect.name)
        await self._broker.notifications.acknowledge(record.number, effect.position)
        return do.OK

    # Subscriptions

    async def _subscribe(self, effect: do.AddSubscription) -> do.Outcome:
        client = self._client(effect.peer)
        start = None if effect.since is None else await self._start(effect.since)
        known = self._broker.subscriptions.index.named(effect.peer, effect.name)
        if known is not None and not known.is_view and start is not None and start < known.created:
            # It is replaced by one that begins earlier; what matched since then matches again.
            await self._broker.subscriptions.unsubscribe(known.number)
        await self._broker.subscriptions.subscribe(client, effect.name, effect.language, effect.text, _OPTIONS, start)
        if effect.since is not None and self._network is not None:
            await self._network.recall(effect.since)
        return do.OK

    async def _start(self, since: dict[str, int]) -> int:
        """The position before the first event here that follows the watermarks."""

        def first_after(tx: Connection) -> int:
            own = [since[self._id] + 1] if self._id in since else []
            others = [log.first_of(tx, origin, position) for origin, position in since.items() if origin != self._id]
            return min([log.head(tx) + 1, *own, *(one for one in others if one is not None)])

        return await self._broker.store.read(first_after) - 1

    async def _unsubscribe(self, effect: do.RemoveSubscription) -> do.Outcome:
        known = self._broker.subscriptions.index.named(effect.peer, effect.name)
        if known is not None and not known.is_view:
            await self._broker.subscriptions.unsubscribe(known.number)
        return do.OK

    async def _read_watermarks(self) -> do.Outcome:
        if self._network is not None:
            return do.WatermarksRead(await self._network.watermarks())
        return do.WatermarksRead({self._id: await self._broker.store.read(log.head)})

    # Publishing

    async def parsed(self, effect: do.StoreEvents) -> Work:
        """Parse the events; returns the work that stores them."""
        client = self._client(effect.peer)
        time = self._broker.clock.now()
        events = events_in(effect.nquads, NQUADS, Given(source=client.id, time=time), self._limits)
        digest = hashlib.sha256(effect.nquads).digest()

        async def store() -> do.Outcome:
            receipts = await self._broker.events.publish(client, events, key=effect.key, digest=digest)
            return do.Stored(tuple(Receipt(one.event, one.position) for one in receipts))

        return store

    # Advertisements

    async def _advertise(self, effect: do.PutAdvertisement) -> do.Outcome:
        registration = registration_in(effect.rdf)
        if registration.peer != effect.peer:
            raise InputError(wanted=f"the registration of {effect.peer}", found=f"that of {registration.peer}")
        await self._host.advertisements.put(effect.peer, PEER, registration.description)
        return do.OK

    async def _unadvertise(self, effect: do.RemoveAdvertisement) -> do.Outcome:
        with suppress(UnknownAdvertisement):
            await self._host.advertisements.remove(effect.peer, PEER)
        return do.OK

    # Peers

    def _client(self, peer: str) -> Client:
        client = self._broker.state.clients.get(peer)
        if client is None:
            raise UnknownClient(wanted=f"the client {peer!r}", found="none of that name")
        return client

    async def _keep_peer(self, record: PeerRecord) -> do.Outcome:
        await self._host.adopt(Client(record.id, PEER, record.public_key, Rights()), record.secret_hash)
        return await self._records.keep_peer(record)

    async def _forget_peer(self, effect: do.ForgetPeer) -> do.Outcome:
        client = self._broker.state.clients.get(effect.peer)
        # A client that an administrator has registered stays.
        if client is not None and client.name == PEER:
            with suppress(UnknownClient):
                await self._host.unregister(effect.peer)
        return await self._records.forget_peer(effect.peer, effect.pointer)


def _publisher(tx: Connection, position: int, me: str) -> tuple[str, str]:
    record = log.at(tx, position)
    return ("", "") if record is None else (record.publisher, record.origin or me)
