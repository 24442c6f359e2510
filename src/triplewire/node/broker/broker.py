"""The broker: publish, subscribe, read, acknowledge, for callers on an event loop.

    broker.events           publish events, and read them
    broker.subscriptions    standing queries, their owners' rights, and the taxonomy that they are read by
    broker.notifications    a subscription's pages: read, wait, acknowledge
    broker.dead_letters     notifications that were given up
    broker.housekeeping     what goes when it is old, and what is kept so that the next start is short
    broker.living           the living graph: SPARQL Update, graphs, patches, merged events, the journal of changes
    broker.rules            RDFTL rules over it
    broker.views            standing queries over it
    broker.store            the one door to the disk
    broker.state            what the parts share: clients, the taxonomy, the matchers, counters

What happens is decided by steps inside transactions (`publish_step`, `matching.catch_up_step`, `store.retention`),
which run on the store's writer thread, one after the other. The parts hand them over, keep what is in memory after each
commit, and wake readers that wait.

What delivery does, for a subscription by its number:

    page = await broker.notifications.page(number, after=position, limit=100)
    await broker.notifications.wait(number, after=position, timeout=15)     # True: there is more, False: time is up
    await broker.notifications.acknowledge(number, position)
    await broker.dead_letters.add(number, position, reason, attempts)
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from triplewire.node.broker.dead_letters import DeadLetters
from triplewire.node.broker.events import Events
from triplewire.node.broker.housekeeping import Housekeeping
from triplewire.node.broker.notifications import Notifications
from triplewire.node.broker.startup import load, warm_up
from triplewire.node.broker.state import BrokerState
from triplewire.node.broker.subscriptions import Subscriptions
from triplewire.node.living.service import LivingService
from triplewire.node.living.store import LivingStore
from triplewire.node.matching.catch_up import CatchUp
from triplewire.node.rules.service import LIMITS, RULE_SECONDS, Rules
from triplewire.node.store import Store
from triplewire.node.views.ephemeral import heard
from triplewire.node.views.follower import ViewFollower
from triplewire.node.views.service import Views
from triplewire.store.clock import Clock, SystemClock
from triplewire.store.database import Database
from triplewire.store.disk import Disk
from triplewire.store.tables.identities import Client
from triplewire.store.tables.living_graph import CHANGE_QUADS

_log = logging.getLogger(__name__)


class Broker:
    """Open it on an event loop with `await Broker.open(folder)`, and close it."""

    def __init__(self, store: Store, living_store: LivingStore, clock: Clock) -> None:
        self.state = BrokerState(store, clock)
        self.store = store
        self.clock = clock
        self.date = self.state.date
        self._catch_up = CatchUp(self.state)
        self.events = Events(self.state, self._catch_up)
        self.subscriptions = Subscriptions(self.state, self._catch_up)
        self.notifications = Notifications(self.state, self._catch_up)
        self.dead_letters = DeadLetters(self.state)
        self.housekeeping = Housekeeping(self.state)
        self.living = LivingService(self.state, self.events, living_store)
        self.rules = Rules(self.state, self.events, living_store)
        follower = ViewFollower(
            self.state, self._catch_up.note_entries, lambda said: self.state.soon(lambda: heard(said))
        )
        self.views = Views(self.state, self.events, self.subscriptions, living_store, follower)

    @classmethod
    async def open(
        cls,
        folder: Path,
        *,
        disk: Disk | None = None,
        clock: Clock | None = None,
        unregistered: Sequence[Client] = (),
        rule_seconds: float = RULE_SECONDS,
        change_quads: int = CHANGE_QUADS,
    ) -> Broker:
        """Open the data folder, and go on where the node stopped. `unregistered` are clients that are not in it."""
        clock = clock or SystemClock()
        _log.info("opening %s", folder)
        store = Store(await asyncio.to_thread(Database, folder, disk, clock))
        limits = replace(LIMITS, seconds=rule_seconds)
        broker = cls(store, await asyncio.to_thread(LivingStore, store, limits), clock)
        broker.state.change_quads = change_quads
        for client in unregistered:
            broker.state.know(client)
        await broker.store.read(lambda tx: load(broker.state, tx))
        await asyncio.to_thread(broker.living.store.follow, broker.views.follower)
        await broker.state.save_date()
        _log.info("preparing the matcher; the first time after an installation this takes a minute")
        await asyncio.to_thread(warm_up)
        broker._catch_up.begin()
        broker.rules.begin()
        return broker

    async def close(self) -> None:
        """Finish what was begun, wake readers that wait, and let go of the folder."""
        self.state.is_open = False
        self.living.end()
        await self.rules.end()
        self.state.wakeups.wake_all()
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self.store.finish()
        if self.store.failure is None:
            self.housekeeping.save_snapshot()
        self.store.close()
