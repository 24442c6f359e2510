"""Outbox watches: for each subscription of a peer that is on-line, a task that waits for new notifications."""

from __future__ import annotations

from collections.abc import Callable

from triplewire.errors import UnknownSubscription
from triplewire.node.broker.broker import Broker
from triplewire.store.tables.registry import SubscriptionRecord
from triplewire.system.supervisor import Supervisor

OnNotifications = Callable[[str, str], None]


class OutboxWatches:
    """`on_notifications` is called with the peer and the name of the subscription."""

    def __init__(self, broker: Broker, on_notifications: OnNotifications) -> None:
        self._broker = broker
        self._on_notifications = on_notifications
        self._peers: set[str] = set()
        self._tasks = Supervisor()

    def begin(self, peer: str) -> None:
        """Watch the subscriptions of a peer that is on-line."""
        self._peers.add(peer)
        for record in self._broker.subscriptions.index.of(peer):
            if not record.is_view and _task_of(record) not in self._tasks:
                self._tasks.start(_task_of(record), self._run(record))

    def renew(self, peer: str) -> None:
        """Watch new subscriptions of a peer, if it is on-line."""
        if peer in self._peers:
            self.begin(peer)

    def end(self, peer: str) -> None:
        """Stop watching the subscriptions of a peer."""
        self._peers.discard(peer)
        for record in self._broker.subscriptions.index.of(peer):
            self._tasks.cancel(_task_of(record))

    async def stop(self) -> None:
        await self._tasks.stop()

    async def _run(self, record: SubscriptionRecord) -> None:
        latest = self._broker.subscriptions.index.progress(record.number).latest
        try:
            with self._broker.notifications.following(record.number):
                self._on_notifications(record.owner, record.name)
                while self._broker.state.is_open:
                    if await self._broker.notifications.wait(record.number, latest):
                        latest = self._broker.subscriptions.index.progress(record.number).latest
                        self._on_notifications(record.owner, record.name)
        except UnknownSubscription:
            # Unsubscribed: there is nothing more to watch.
            return


def _task_of(record: SubscriptionRecord) -> str:
    return f"peer's subscription {record.number}"
