"""Local changes: passes events and subscriptions of the node to its super-peer, on the event loop and in order.

Events that were published here, after their commit, but not those that came from the network. And every subscription of
the node's clients, existing, new and removed; in the network the subscriber is named by owner and name, which are
unique here.

A client that has advertised nothing is first advertised by what it publishes (`derived_advertisements`), then
its event is passed on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence

from triplewire.errors import TriplewireError
from triplewire.network.effects import Effect
from triplewire.network.routing.subscriptions.standing_queries import standing_query
from triplewire.network.superpeer import SuperPeer
from triplewire.node.broker.advertisements import Advertisements
from triplewire.node.broker.broker import Broker
from triplewire.node.overlay.derived_advertisements import DerivedAdvertisements
from triplewire.node.overlay.log_replay import publication_of
from triplewire.store.tables import log
from triplewire.store.tables.log import Record
from triplewire.store.tables.registry import SubscriptionRecord

_log = logging.getLogger(__name__)

# Subscriptions that are passed on before the event loop gets a turn.
_AT_ONCE = 20
Act = Callable[[Callable[[SuperPeer, float], Iterable[Effect]]], None]


class LocalChanges:
    """Follows a broker for a super-peer. `announced` is the position up to which the log was passed on."""

    def __init__(self, broker: Broker, advertisements: Advertisements, member: str, act: Act) -> None:
        self.announced = 0
        self._broker = broker
        self._deriving = DerivedAdvertisements(advertisements)
        self._member = member
        self._act = act
        self._loop = asyncio.get_running_loop()
        self._held_back: list[Record] | None = []

    async def begin(self) -> None:
        """Start to follow. What is published from here on is passed on once `run` runs."""
        self.announced = await self._broker.store.write_alone(log.head, self._follow)

    def hold(self) -> None:
        """Hold back what is published until `run` runs again."""
        self._held_back = self._held_back or []

    async def run(self) -> None:
        """Pass on what was held back, and all subscriptions."""
        held_back, self._held_back = self._held_back or [], None
        self._published(held_back)
        for number, record in enumerate(self._broker.subscriptions.index.without_views, start=1):
            self._changed(record)
            if number % _AT_ONCE == 0:
                await asyncio.sleep(0)

    def end(self) -> None:
        """Stop following."""
        for followers, follower in (
            (self._broker.events.followers, self._committed),
            (self._broker.subscriptions.followers, self._subscribed),
        ):
            if follower in followers:
                followers.remove(follower)  # type: ignore[arg-type]

    # On the writer's thread

    def _follow(self, _: int) -> None:
        self._broker.events.followers.append(self._committed)
        self._broker.subscriptions.followers.append(self._subscribed)

    def _committed(self, records: Sequence[Record]) -> None:
        if records and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._published, records)

    def _subscribed(self, record: SubscriptionRecord) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._changed, record)

    # On the event loop

    def _published(self, records: Sequence[Record]) -> None:
        if self._held_back is not None:
            self._held_back += records
            return
        ours = [record for record in records if record.origin is None]
        self._deriving.update_from(ours)
        for record in ours:
            publication = publication_of(record, self._member)
            # One at a time: a failure of one does not affect the next.
            self._act(lambda peer, now, one=publication: peer.published(now, [one]))  # type: ignore[misc]
        self.announced = max(self.announced, *(record.position for record in records)) if records else self.announced

    def _changed(self, record: SubscriptionRecord) -> None:
        """A subscription was added or removed, whichever the index says."""
        try:
            standing = standing_query(record.language, record.text)
        except TriplewireError as problem:
            _log.warning("the network is not told of a subscription of %s: %s", record.owner, problem)
            return
        subscriber = f"{record.owner}/{record.name}"
        if self._broker.subscriptions.index.get(record.number) is not None:
            self._act(lambda peer, now: peer.subscribe(now, standing, subscriber))
        else:
            self._act(lambda peer, now: peer.unsubscribe(now, standing.key, subscriber))
