"""The broker: publish, subscribe, read, acknowledge, for callers on an event loop.

What happens is decided by steps inside transactions (`publishing`, `catching_up`, `store.retention`), which run on the
store's writer thread, one after the other. The broker's parts hand them over, keep the roster after each commit, and
wake whoever waits; this is their common face.

What delivery needs, for a subscription by its number:

    page = await broker.notifications(number, after=position, limit=100)
    await broker.wait(number, after=position, timeout=15)     # True: there is more, False: time is up
    await broker.acknowledge(number, position)
    await broker.bury(number, position, reason, attempts)     # a dead letter
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import StoreError
from triplewire.node.answers import Notification
from triplewire.node.core import Core, Counters
from triplewire.node.histories import Histories
from triplewire.node.intake import Intake
from triplewire.node.keeping import Keeping, Removal
from triplewire.node.letters import Letters
from triplewire.node.loading import load, warm_up
from triplewire.node.publishing import Receipt, Submission
from triplewire.node.reading import Page, Reading
from triplewire.node.roster import Roster
from triplewire.node.rules import LIMITS, RULE_SECONDS, Rules, rule_host
from triplewire.node.steady import Steady
from triplewire.node.subscribing import Subscribing
from triplewire.rdf.events import Event
from triplewire.rules.hosting import RuleHost
from triplewire.store.clock import Clock, SystemClock
from triplewire.store.database import Database
from triplewire.store.deadletters import DeadLetter
from triplewire.store.disk import Connection, Disk
from triplewire.store.identities import Client
from triplewire.store.log import Record
from triplewire.store.registry import Options, SubscriptionRecord
from triplewire.store.retention import Retention, Trimmed

T = TypeVar("T")
_log = logging.getLogger(__name__)


class Broker:
    """Open it on an event loop with `await Broker.open(folder)`, and close it."""

    def __init__(self, database: Database, host: RuleHost, clock: Clock) -> None:
        self._core = Core(database, clock)
        self._histories = Histories(self._core)
        self._intake = Intake(self._core, self._histories)
        self._subscribing = Subscribing(self._core, self._histories)
        self._reading = Reading(self._core, self._histories)
        self._letters = Letters(self._core)
        self._keeping = Keeping(self._core, self._histories)
        self.rules = Rules(self._core, self._intake, host)

    # Opening and closing

    @classmethod
    async def open(
        cls,
        folder: Path,
        *,
        disk: Disk | None = None,
        clock: Clock | None = None,
        guests: Sequence[Client] = (),
        rule_seconds: float = RULE_SECONDS,
    ) -> Broker:
        """Open the data folder, and go on where the node stopped. Guests are clients that are not registered."""
        clock = clock or SystemClock()
        _log.info("opening %s", folder)
        database = await asyncio.to_thread(Database, folder, disk, clock)
        limits = replace(LIMITS, seconds=rule_seconds)
        broker = cls(database, await asyncio.to_thread(rule_host, database, clock, limits), clock)
        for guest in guests:
            broker.know(guest)
        await broker.read(lambda tx: load(broker._core, tx))
        await broker._core.keep_date()
        _log.info("preparing the matcher; the first time after an installation this takes a minute")
        await asyncio.to_thread(warm_up)
        broker._histories.begin()
        broker.rules.begin()
        return broker

    async def close(self) -> None:
        """Finish what was begun, wake whoever waits, and let go of the folder."""
        self._core.is_open = False
        await self.rules.end()
        self._core.bells.ring_all()
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self.database.writer.close()
        if self.failure is None:
            self._keeping.keep_compiled()
        self.database.close()
        self._core.evaluator.close()
        self._core.checker.close()

    @property
    def is_open(self) -> bool:
        return self._core.is_open

    # Publishing and reading events

    async def publish(
        self, client: Client, events: Sequence[Event], *, key: str | None = None, digest: bytes = b""
    ) -> tuple[Receipt, ...]:
        """Store events; the receipts come when they are on the disk."""
        return await self._intake.publish(client, events, key, digest)

    async def event(self, client: Client, graph: str) -> tuple[Record, Event] | None:
        """An event and its record, as far as the client may read it."""
        return await self._intake.event(client, graph)

    async def events(self, client: Client, after: int, limit: int) -> list[tuple[Record, Event]]:
        """What follows a position in the log, as far as the client may read it."""
        return await self._intake.events(client, after, limit)

    @property
    def followers(self) -> list[Callable[[Sequence[Record]], None]]:
        """Who is told of new events after their commit, on the writer's thread."""
        return self._intake.followers

    async def take(self, submission: Submission) -> tuple[Receipt, ...]:
        """Store what another super-peer has published; the receipts come when it is on the disk."""
        return await self._intake.take(submission)

    # Clients and subscriptions

    def know(self, client: Client) -> None:
        """Take a client's rights into account. The node tells of every client, before it does anything for it."""
        self._core.know(client)

    def client(self, client_id: str) -> Client | None:
        """A client that the broker was told of, with its present rights."""
        return self._core.clients.get(client_id)

    async def set_rights(self, client: Client) -> None:
        """Give a client other rights; its subscriptions read under the new grant from the next event on."""
        await self._subscribing.set_rights(client)

    async def subscribe(
        self, client: Client, name: str, language: str, text: str, options: Options, start: int | None = None
    ) -> SubscriptionRecord:
        """Leave a standing query. `start` is the position after which it begins, None the end of the log.

        The same query under the same name only changes options; another one is `DuplicateSubscription`.
        """
        return await self._subscribing.subscribe(client, name, language, text, options, start)

    async def unsubscribe(self, number: int) -> None:
        """Forget a subscription and everything that waits for it."""
        await self._subscribing.unsubscribe(number)

    async def reset(self, number: int, start: int | None = None) -> SubscriptionRecord:
        """Begin a subscription again after another position, None the end of the log. It has a new number then."""
        return await self._subscribing.reset(number, start)

    def subscription(self, owner: str, name: str) -> SubscriptionRecord:
        """An owner's subscription, or `UnknownSubscription`."""
        return self._subscribing.named(owner, name)

    @property
    def roster(self) -> Roster:
        return self._core.roster

    @property
    def subscription_followers(self) -> list[Callable[[SubscriptionRecord], None]]:
        """Who is told of subscriptions that begin or have ended, on the writer's thread."""
        return self._subscribing.followers

    # Notifications and dead letters

    async def notifications(self, number: int, after: int = 0, limit: int = 100) -> Page:
        """Notifications that follow a position. Reading on means that what came before was read."""
        return await self._reading.notifications(number, after, limit)

    async def wait(self, number: int, after: int, timeout: float | None = None) -> bool:
        """Wait until there is a notification beyond a position. False: the time ran out, or the node stops."""
        return await self._reading.wait(number, after, timeout)

    def following(self, number: int) -> AbstractContextManager[None]:
        """While this lasts, what is new for a subscription is read from memory."""
        return self._reading.following(number)

    async def acknowledge(self, number: int, position: int) -> None:
        """Note that everything up to a position has arrived; it is not kept any longer."""
        await self._reading.acknowledge(number, position)

    async def bury(self, number: int, position: int, reason: str, attempts: int) -> None:
        """Give a notification up: keep it as a dead letter. Whoever delivers acknowledges it next."""
        await self._letters.bury(number, position, reason, attempts)

    async def dead_letters(self, owner: str | None = None, after: int = 0, limit: int = 100) -> list[DeadLetter]:
        """Dead letters, oldest first; of one owner, or of all."""
        return await self._letters.after(owner, after, limit)

    async def dead_letter(self, letter_id: int) -> DeadLetter | None:
        """One dead letter."""
        return await self._letters.find(letter_id)

    def content_of(self, letter: DeadLetter) -> Notification:
        """What goes out when a dead letter is sent again."""
        return self._letters.content(letter)

    async def forget_letter(self, letter_id: int) -> None:
        """Remove a dead letter: it was delivered after all, or nobody wants it."""
        await self._letters.forget(letter_id)

    # Taxonomy and housekeeping

    async def set_taxonomy(self, taxonomy: Taxonomy | None) -> None:
        """Read events by another taxonomy from now on."""
        await self._keeping.set_taxonomy(taxonomy)

    async def trim(self, kept: Retention, first: Removal | None = None) -> Trimmed:
        """Remove what retention no longer keeps; `first` removes it elsewhere, before it goes from the log."""
        return await self._keeping.trim(kept, first)

    @property
    def taxonomy(self) -> Taxonomy | None:
        return self._core.taxonomy

    @property
    def log_bytes(self) -> int:
        return self._core.log_bytes

    # The store, and how things stand

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run something on a snapshot of the store, on another thread."""
        return await self._core.read(work)

    @property
    def database(self) -> Database:
        return self._core.database

    @property
    def clock(self) -> Clock:
        return self._core.clock

    @property
    def steady(self) -> Steady:
        return self._core.steady

    @property
    def counters(self) -> Counters:
        return self._core.counters

    def costs(self) -> Counter[str | None]:
        """How many candidates were tested for each owner."""
        return self._core.audience.costs()

    @property
    def failure(self) -> StoreError | None:
        """Why nothing is written any more, if so."""
        return self.database.writer.failure
