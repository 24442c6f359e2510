"""Watching: for peers that are on-line, a task for each subscription waits until there is something new for it."""

from __future__ import annotations

from collections.abc import Callable

from triplewire.errors import UnknownSubscription
from triplewire.node.broker.broker import Broker
from triplewire.store.tables.registry import SubscriptionRecord
from triplewire.system.supervisor import Supervisor

Noticed = Callable[[str, str], None]


class Watching:
    """`noticed` is told the peer and the name of the subscription."""

    def __init__(self, broker: Broker, noticed: Noticed) -> None:
        self._broker = broker
        self._noticed = noticed
        self._peers: set[str] = set()
        self._tasks = Supervisor()

    def begin(self, peer: str) -> None:
        """A peer is on-line; or it has a subscription more."""
        self._peers.add(peer)
        for record in self._broker.subscriptions.index.of(peer):
            if _task_of(record) not in self._tasks:
                self._tasks.start(_task_of(record), self._run(record))

    def renew(self, peer: str) -> None:
        """A peer's subscriptions have changed."""
        if peer in self._peers:
            self.begin(peer)

    def end(self, peer: str) -> None:
        """A peer is off-line."""
        self._peers.discard(peer)
        for record in self._broker.subscriptions.index.of(peer):
            self._tasks.cancel(_task_of(record))

    async def stop(self) -> None:
        await self._tasks.stop()

    async def _run(self, record: SubscriptionRecord) -> None:
        latest = self._broker.subscriptions.index.progress(record.number).latest
        try:
            with self._broker.notifications.following(record.number):
                self._noticed(record.owner, record.name)
                while self._broker.state.is_open:
                    if await self._broker.notifications.wait(record.number, latest):
                        latest = self._broker.subscriptions.index.progress(record.number).latest
                        self._noticed(record.owner, record.name)
        except UnknownSubscription:
            # Unsubscribed: there is nothing more to watch.
            return


def _task_of(record: SubscriptionRecord) -> str:
    return f"peer's subscription {record.number}"
