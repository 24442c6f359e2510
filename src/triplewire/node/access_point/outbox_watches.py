"""Watching: for peers that are on-line, a task for each subscription waits until there is something new for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from triplewire.errors import UnknownSubscription
from triplewire.node.broker.broker import Broker
from triplewire.store.tables.registry import SubscriptionRecord

_log = logging.getLogger(__name__)

Noticed = Callable[[str, str], None]


class Watching:
    """`noticed` is told the peer and the name of the subscription."""

    def __init__(self, broker: Broker, noticed: Noticed) -> None:
        self._broker = broker
        self._noticed = noticed
        self._peers: set[str] = set()
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def begin(self, peer: str) -> None:
        """A peer is on-line; or it has a subscription more."""
        self._peers.add(peer)
        for record in self._broker.subscriptions.index.of(peer):
            if record.number not in self._tasks:
                self._watch(record)

    def renew(self, peer: str) -> None:
        """A peer's subscriptions have changed."""
        if peer in self._peers:
            self.begin(peer)

    def end(self, peer: str) -> None:
        """A peer is off-line."""
        self._peers.discard(peer)
        for record in self._broker.subscriptions.index.of(peer):
            task = self._tasks.pop(record.number, None)
            if task is not None:
                task.cancel()

    async def stop(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _watch(self, record: SubscriptionRecord) -> None:
        task = asyncio.create_task(self._run(record), name=f"peer's subscription {record.number}")
        self._tasks[record.number] = task
        task.add_done_callback(lambda task: self._ended(record.number, task))

    def _ended(self, number: int, task: asyncio.Task[None]) -> None:
        if self._tasks.get(number) is task:
            del self._tasks[number]
        if not task.cancelled() and (bug := task.exception()) is not None:
            _log.error("a bug: watching a subscription has ended: %s", bug, exc_info=bug)

    async def _run(self, record: SubscriptionRecord) -> None:
        latest = self._broker.subscriptions.index.progress(record.number).latest
        try:
            with self._broker.notifications.following(record.number):
                self._noticed(record.owner, record.name)
                while self._broker.core.is_open:
                    if await self._broker.notifications.wait(record.number, latest):
                        latest = self._broker.subscriptions.index.progress(record.number).latest
                        self._noticed(record.owner, record.name)
        except UnknownSubscription:
            # Unsubscribed: there is nothing more to watch.
            return
