"""The broker: publish, subscribe, read, acknowledge, for callers on an event loop.

What happens is decided by steps inside transactions (`publishing`, `catching_up`, `store.retention`), which run on the
store's writer thread, one after the other. The broker hands them over, keeps the roster after each commit, and wakes
whoever waits.

What delivery needs, for a subscription by its number:

    page = await broker.notifications(number, after=position, limit=100)
    await broker.wait(number, after=position, timeout=15)     # True: there is more, False: time is up
    await broker.acknowledge(number, position)
    await broker.bury(number, position, reason, attempts)     # a dead letter
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import DuplicateSubscription, Forbidden, QuotaExceeded, StoreError, UnknownSubscription
from triplewire.matching.anchoring import is_unindexed
from triplewire.node.answers import Notification, notification
from triplewire.node.audience import Audience
from triplewire.node.bells import Bells
from triplewire.node.catching_up import CaughtUp, catch_up, event_of
from triplewire.node.gathering import Gathering
from triplewire.node.grants import require_publishable, visible
from triplewire.node.publishing import Accepted, Receipt, Submission, accept
from triplewire.node.quotas import Buckets
from triplewire.node.roster import Roster
from triplewire.node.steady import Steady
from triplewire.rdf.events import Event
from triplewire.store import deadletters, facts, identities, log, outbox, registry, retention
from triplewire.store.clock import Clock, SystemClock
from triplewire.store.database import Database
from triplewire.store.deadletters import DeadLetter
from triplewire.store.disk import Connection, Disk
from triplewire.store.identities import Client, Grant
from triplewire.store.log import Record
from triplewire.store.outbox import Notice
from triplewire.store.registry import Options, SubscriptionRecord
from triplewire.store.retention import Retention, Trimmed

T = TypeVar("T")
_log = logging.getLogger(__name__)

_TAXONOMY = "taxonomy"
# A reader of a subscription that is catching up is given this long to see the first of it.
_PATIENCE = 5.0


class Page(Struct, frozen=True):
    """Notifications in order. `next` is where to read on, or None at the end.

    `gap` is set where retention removed something between where the reader was and this page: everything up to it.
    """

    notifications: list[Notification]
    next: int | None
    gap: int | None = None


class Counters(Struct):
    """What the broker has done since it started."""

    published: int = 0
    repeated: int = 0
    matched: int = 0
    delivered: int = 0
    acknowledged: int = 0
    refused: int = 0


class Broker:
    """Open it on an event loop with `await Broker.open(folder)`, and close it."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database = database
        self.clock = clock
        self.steady = Steady(clock)
        self.counters = Counters()
        self.roster = Roster()
        self.clients: dict[str, Client] = {}
        self.taxonomy: Taxonomy | None = None
        self.log_bytes = 0
        self.followers: list[Callable[[Sequence[Record]], None]] = []
        self._audience = Audience()
        self._catching: dict[int, Audience] = {}
        self._bells = Bells()
        self._buckets = Buckets(clock)
        self._loop = asyncio.get_running_loop()
        self._is_open = True
        self._gathering = Gathering(
            database.writer, lambda tx, submissions: accept(tx, self._audience, submissions), self._accepted
        )

    # Opening and closing

    @classmethod
    async def open(
        cls, folder: Path, *, disk: Disk | None = None, clock: Clock | None = None, guests: Sequence[Client] = ()
    ) -> Broker:
        """Open the data folder, and go on where the node stopped. Guests are clients that are not registered."""
        clock = clock or SystemClock()
        broker = cls(await asyncio.to_thread(Database, folder, disk, clock), clock)
        broker.clients = {client.id: client for client in guests}
        await asyncio.to_thread(broker.database.read, broker._load)
        _log.info("preparing the matcher; the first time after an installation this takes a minute")
        await asyncio.to_thread(warm_up)
        broker._resume_all()
        return broker

    def know(self, client: Client) -> None:
        """Take a client's rights into account. The node tells of every client, before it does anything for it."""
        self.clients[client.id] = client

    async def set_rights(self, client: Client) -> None:
        """Give a client other rights; its subscriptions read under the new grant from the next event on."""
        self.know(client)
        await self._write_alone(lambda _: None, lambda _: self._took_rights(client))

    async def close(self) -> None:
        """Finish what was begun, wake whoever waits, and let go of the folder."""
        self._is_open = False
        self._bells.ring_all()
        await asyncio.to_thread(self.database.close)

    @property
    def is_open(self) -> bool:
        return self._is_open

    # Publishing and reading events

    async def publish(
        self, client: Client, events: Sequence[Event], *, key: str | None = None, digest: bytes = b""
    ) -> tuple[Receipt, ...]:
        """Store events; the receipts come when they are on the disk."""
        self.know(client)
        for event in events:
            require_publishable(event, client.rights.publish)
        self._buckets.take(client, len(events))
        submission = Submission(client.id, events, self.steady.time(), key, digest)
        return await self._gathering.publish(submission)

    async def event(self, client: Client, graph: str) -> tuple[Record, Event] | None:
        """An event and its record, as far as the client may read it."""
        record = await self.read(lambda tx: log.find(tx, graph))
        return None if record is None else _seen(record, readable(client))

    async def events(self, client: Client, after: int, limit: int) -> list[tuple[Record, Event]]:
        """What follows a position in the log, as far as the client may read it."""
        grant = readable(client)
        records = await self.read(lambda tx: log.after(tx, after, limit))
        return [seen for record in records if (seen := _seen(record, grant)) is not None]

    # Subscribing

    async def subscribe(
        self, client: Client, name: str, language: str, text: str, options: Options, start: int | None = None
    ) -> SubscriptionRecord:
        """Leave a standing query. `start` is the position after which it begins, None the end of the log.

        The same query under the same name only changes options; another one is `DuplicateSubscription`.
        """
        self.know(client)
        readable(client)
        subscription = Subscription.parse(text, language, id=name, owner=client.id)
        known = self.roster.named(client.id, name)
        if known is not None:
            return await self._change(known, subscription, options)
        self._check_quotas(client, subscription)
        # Asked in an audience of its own first: what cannot be evaluated is refused before anything is stored.
        await asyncio.to_thread(Audience().add, subscription, Grant())
        return await self._write_alone(
            lambda tx: self._insert(tx, client, subscription, options, start),
            lambda record: self._subscribed(record, subscription),
        )

    async def unsubscribe(self, number: int) -> None:
        """Forget a subscription and everything that waits for it."""
        self.roster.require(number)
        await self._write_alone(lambda tx: registry.delete(tx, number), lambda _: self._unsubscribed(number))

    def subscription(self, owner: str, name: str) -> SubscriptionRecord:
        """An owner's subscription, or `UnknownSubscription`."""
        record = self.roster.named(owner, name)
        if record is None:
            raise UnknownSubscription(f"wanted the subscription {name!r}, found none of that name")
        return record

    # Notifications

    async def notifications(self, number: int, after: int = 0, limit: int = 100) -> Page:
        """Notifications that follow a position. Reading on means that what came before was read."""
        record = self.roster.require(number)
        self._note_read(record, after)
        await self._see_some(number, after)
        # What the page shows may be on disk before the roster has heard of the gap before it: both are read together.
        waiting, kept = await self.read(
            lambda tx: (outbox.after(tx, number, after, limit + 1), registry.find(tx, number))
        )
        if record.options.payload == "event":
            waiting = await self.read(lambda tx: self._with_events(tx, record, waiting))
        record = self.roster.require(number)
        page = [notification(one) for one in waiting[:limit]]
        has_more = len(waiting) > limit or not record.is_live
        following = page[-1].position if page else after
        lost = max(record.gap, kept.gap if kept else 0)
        gap = lost if after < lost and record.cursor < lost else None
        self.counters.delivered += len(page)
        return Page(page, following if has_more else None, gap)

    async def wait(self, number: int, after: int, timeout: float | None = None) -> bool:
        """Wait until there is a notification beyond a position. False: the time ran out, or the node stops."""
        deadline = None if timeout is None else self.clock.monotonic() + timeout
        while self._is_open and self.roster.require(number) and self.roster.standing(number).latest <= after:
            left = None if deadline is None else deadline - self.clock.monotonic()
            if (left is not None and left <= 0) or not await self._bells.hear(number, left):
                break
        return self._is_open and self.roster.standing(number).latest > after

    async def acknowledge(self, number: int, position: int) -> None:
        """Note that everything up to a position has arrived; it is not kept any longer."""
        self.roster.require(number)

        def work(tx: Connection) -> int:
            registry.set_cursor(tx, number, position)
            return outbox.remove_to(tx, number, position)

        await self._write(work, lambda size: self._acknowledged(number, position, size))

    # Dead letters

    async def bury(self, number: int, position: int, reason: str, attempts: int) -> None:
        """Give a notification up: keep it as a dead letter. Whoever delivers acknowledges it next."""

        def work(tx: Connection) -> None:
            for waiting in outbox.after(tx, number, position - 1, 1):
                letter = DeadLetter(
                    0, number, position, waiting.event, waiting.answer, reason, attempts, self.steady.time()
                )
                if waiting.position == position:
                    deadletters.bury(tx, letter)

        await self._write(work)

    async def dead_letters(self, owner: str | None = None, after: int = 0, limit: int = 100) -> list[DeadLetter]:
        """Dead letters, oldest first; of one owner, or of all."""
        letters = await self.read(lambda tx: deadletters.after(tx, after, limit))
        return [letter for letter in letters if owner is None or self._is_of(letter, owner)]

    async def dead_letter(self, letter_id: int) -> DeadLetter | None:
        """One dead letter."""
        return await self.read(lambda tx: deadletters.find(tx, letter_id))

    async def forget_letter(self, letter_id: int) -> None:
        """Remove a dead letter: it was delivered after all, or nobody wants it."""
        await self._write(lambda tx: deadletters.remove(tx, letter_id))

    # Taxonomy and housekeeping

    async def set_taxonomy(self, taxonomy: Taxonomy | None) -> None:
        """Read events by another taxonomy from now on."""
        text = None if taxonomy is None else "".join(f"{triple} .\n" for triple in taxonomy.triples)
        await self._write_alone(lambda tx: facts.put(tx, _TAXONOMY, text), lambda _: self._took_taxonomy(taxonomy))

    async def trim(self, kept: Retention) -> Trimmed:
        """Remove what retention no longer keeps."""
        now = self.steady.time()
        trimmed = await self._write(lambda tx: retention.trim(tx, kept, now, self.log_bytes), self._trimmed)
        for record in self.roster:
            await self._expire(record, now)
        return trimmed

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run something on a snapshot of the store, on another thread."""
        return await asyncio.to_thread(self.database.read, work)

    @property
    def failure(self) -> StoreError | None:
        """Why nothing is written any more, if so."""
        return self.database.writer.failure

    @property
    def candidates(self) -> int:
        """How many candidates matching has tested."""
        return self._audience.candidates

    # Private: handing over

    async def _write(self, work: Callable[[Connection], T], then: Callable[[T], None] = lambda _: None) -> T:
        return await asyncio.wrap_future(self.database.writer.submit(work, then))

    async def _write_alone(self, work: Callable[[Connection], T], then: Callable[[T], None]) -> T:
        return await asyncio.wrap_future(self.database.writer.submit_alone(work, then))

    def _ring(self, numbers: set[int]) -> None:
        if numbers:
            self._call(lambda: self._bells.ring(numbers))

    def _call(self, work: Callable[[], None]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(work)

    # Private: after a commit, on the writer's thread

    def _accepted(self, accepted: Accepted) -> None:
        self.counters.published += len(accepted.records)
        told = sum(len(outcome) for outcome in accepted.outcomes if isinstance(outcome, tuple))
        self.counters.repeated += told - len(accepted.records)
        self.log_bytes += sum(len(record.nquads) for record in accepted.records)
        for follower in self.followers:
            follower(accepted.records)
        self._noticed(accepted.notices)
        self._quarantine(self._audience)

    def _noticed(self, notices: Sequence[Notice]) -> None:
        self.counters.matched += len(notices)
        told: set[int] = set()
        for notice in notices:
            standing = self.roster.standing(notice.subscription)
            standing.bytes_waiting += notice.size
            standing.latest = max(standing.latest, notice.position)
            told.add(notice.subscription)
        for number in told:
            if self._is_over_quota(number):
                self._pause(number)
        self._ring(told)

    def _subscribed(self, record: SubscriptionRecord, subscription: Subscription) -> None:
        self.roster.put(record)
        self.roster.standing(record.number).is_unindexed = is_unindexed(subscription)
        if record.is_live:
            self._audience.add(_numbered(subscription, record), self._grant(record.owner))
        else:
            self._catch_up(record.number)

    def _unsubscribed(self, number: int) -> None:
        self._audience.remove(str(number))
        self._catching.pop(number, None)
        self.roster.remove(number)
        self._ring({number})

    def _acknowledged(self, number: int, position: int, size: int) -> None:
        record = self.roster.get(number)
        if record is None:
            return
        self.counters.acknowledged += 1
        self.roster.change(number, cursor=max(record.cursor, position))
        self.roster.release({number: size})
        self._resume(record.owner)

    def _trimmed(self, trimmed: Trimmed) -> None:
        self.log_bytes -= trimmed.size
        for number in trimmed.notices:
            self.roster.change(number, gap=trimmed.floor)
        self.roster.release(trimmed.notices)

    def _took_taxonomy(self, taxonomy: Taxonomy | None) -> None:
        self.taxonomy = taxonomy
        self._audience.set_taxonomy(taxonomy)
        for audience in self._catching.values():
            audience.set_taxonomy(taxonomy)

    def _took_rights(self, client: Client) -> None:
        for record in self.roster.of(client.id):
            self._catching.pop(record.number, None)
            if str(record.number) in self._audience:
                self._audience.remove(str(record.number))
                self._audience.add(_parsed(record), self._grant(client.id))

    def _quarantine(self, audience: Audience) -> None:
        for name, reason in audience.quarantined.items():
            number = int(name)
            audience.remove(name)
            self.roster.change(number, quarantined=reason)
            self.database.writer.submit(
                lambda tx, number=number, reason=reason: registry.quarantine(tx, number, reason)  # type: ignore[misc]
            )

    # Private: subscribing

    def _insert(
        self, tx: Connection, client: Client, subscription: Subscription, options: Options, start: int | None
    ) -> SubscriptionRecord:
        known = self.roster.named(client.id, subscription.id)
        if known is not None:
            _require_same(known, subscription)
            return known
        head = log.head(tx)
        created = head if start is None else min(start, head)
        frontier = None if created == head else created
        language, text = subscription.language, subscription.text
        fresh = SubscriptionRecord(0, client.id, subscription.id, language, text, options, created, frontier, created)
        return registry.insert(tx, fresh)

    async def _change(
        self, known: SubscriptionRecord, subscription: Subscription, options: Options
    ) -> SubscriptionRecord:
        _require_same(known, subscription)
        if known.options != options:
            await self._write(
                lambda tx: registry.set_options(tx, known.number, options),
                lambda _: self.roster.change(known.number, options=options),
            )
        return self.roster.require(known.number)

    def _check_quotas(self, client: Client, subscription: Subscription) -> None:
        quotas = client.rights.quotas
        count = len(self.roster.of(client.id)) if quotas.subscriptions is not None else 0
        if quotas.subscriptions is not None and count >= quotas.subscriptions:
            message = f"wanted at most {quotas.subscriptions} subscriptions, found {count}"
            raise QuotaExceeded("subscriptions", message)
        if quotas.unindexed is None or not is_unindexed(subscription):
            return
        count = self.roster.unindexed_of(client.id)
        if count >= quotas.unindexed:
            message = f"wanted at most {quotas.unindexed} subscriptions that are tested on every event, found {count}"
            raise QuotaExceeded("unindexed", message)

    def _grant(self, owner: str) -> Grant:
        client = self.clients.get(owner)
        # A client that is gone reads nothing: no IRI begins with one of no prefixes.
        return Grant(graphs=()) if client is None or client.rights.subscribe is None else client.rights.subscribe

    def _is_of(self, letter: DeadLetter, owner: str) -> bool:
        record = self.roster.get(letter.subscription)
        return record is not None and record.owner == owner

    # Private: catching up, pausing and resuming

    def _is_over_quota(self, number: int) -> bool:
        record = self.roster.get(number)
        client = None if record is None else self.clients.get(record.owner)
        if record is None or client is None or client.rights.quotas.outbox_bytes is None:
            return False
        return self.roster.bytes_of(record.owner) > client.rights.quotas.outbox_bytes

    def _pause(self, number: int) -> None:
        """Stop matching a subscription whose owner does not read; the log keeps what it misses."""
        record = self.roster.get(number)
        if record is None or not record.is_live or str(number) not in self._audience:
            return

        def work(tx: Connection) -> int:
            frontier = log.head(tx)
            registry.set_frontier(tx, number, frontier)
            return frontier

        def then(frontier: int) -> None:
            self._audience.remove(str(number))
            self.roster.change(number, frontier=frontier)

        self.database.writer.submit_alone(work, then)

    def _resume(self, owner: str) -> None:
        """Go on with an owner's subscriptions that wait for room."""
        for record in self.roster.of(owner):
            if not record.is_live and record.number not in self._catching and record.quarantined is None:
                self._catch_up(record.number)

    def _resume_all(self) -> None:
        for record in self.roster:
            if not record.is_live and record.quarantined is None:
                self._catch_up(record.number)

    def _catch_up(self, number: int) -> None:
        record = self.roster.get(number)
        if record is None or record.is_live or self._has_no_room(number):
            return
        audience = self._catching.get(number) or self._alone(record)
        self._catching[number] = audience
        work = self.database.writer.submit_alone(
            lambda tx: catch_up(tx, number, audience), lambda done: self._caught_up(number, audience, done)
        )
        work.add_done_callback(lambda done: self._stopped_short(number, done.exception()))

    def _has_no_room(self, number: int) -> bool:
        """Whether as much waits as may. What was read already makes room."""
        if not self._is_over_quota(number):
            return False
        read_to = self.roster.standing(number).read_to
        if read_to:
            self.database.writer.submit(
                lambda tx: retention.drop_read(tx, number, read_to), lambda sizes: self._dropped(number, read_to, sizes)
            )
        self._catching.pop(number, None)
        return True

    def _dropped(self, number: int, read_to: int, sizes: dict[int, int]) -> None:
        record = self.roster.get(number)
        if record is None or not sizes:
            return
        self.roster.change(number, gap=read_to)
        self.roster.release(sizes)
        self._resume(record.owner)

    def _alone(self, record: SubscriptionRecord) -> Audience:
        audience = Audience(self.taxonomy)
        audience.add(_parsed(record), self._grant(record.owner))
        return audience

    def _caught_up(self, number: int, audience: Audience, done: CaughtUp | None) -> None:
        record = self.roster.get(number)
        if done is None or record is None:
            self._catching.pop(number, None)
            return
        self._noticed(done.notices)
        self.roster.change(number, frontier=done.frontier, gap=max(record.gap, done.gap))
        self._quarantine(audience)
        if done.frontier is not None and str(number) in audience:
            self._catch_up(number)
            return
        self._catching.pop(number, None)
        if str(number) in audience:
            self._audience.add(_parsed(record), self._grant(record.owner))
        self._ring({number})

    def _stopped_short(self, number: int, problem: BaseException | None) -> None:
        """A log that cannot be read stops the subscription with the reason; nothing is passed over."""
        if problem is None:
            return
        self._catching.pop(number, None)
        self.roster.change(number, quarantined=str(problem))
        self._ring({number})

    # Private: reading

    async def _see_some(self, number: int, after: int) -> None:
        """Give a subscription that is catching up the time to have something beyond a position."""
        deadline = self.clock.monotonic() + _PATIENCE
        while self._is_open and number in self._catching and self.roster.standing(number).latest <= after:
            if not await self._bells.hear(number, deadline - self.clock.monotonic()):
                break

    def _note_read(self, record: SubscriptionRecord, after: int) -> None:
        standing = self.roster.standing(record.number)
        if after <= standing.read_to:
            return
        standing.read_to = after
        if not record.is_live and record.number not in self._catching and record.quarantined is None:
            self.database.writer.submit_alone(lambda _: None, lambda _: self._catch_up(record.number))

    def _with_events(
        self, tx: Connection, record: SubscriptionRecord, waiting: list[outbox.Waiting]
    ) -> list[outbox.Waiting]:
        grant = self._grant(record.owner)
        found = []
        for one in waiting:
            kept = log.at(tx, one.position)
            seen = None if kept is None else _seen(kept, grant)
            found.append(one if seen is None else msgspec.structs.replace(one, nquads=seen[1].nquads))
        return found

    async def _expire(self, record: SubscriptionRecord, now: float) -> None:
        if record.options.retention is None:
            return
        before = now - record.options.retention
        sizes = await self._write(lambda tx: retention.expire(tx, record.number, before), self.roster.release)
        if sizes:
            fresh = await self.read(lambda tx: registry.find(tx, record.number))
            if fresh is not None:
                self.roster.change(record.number, gap=fresh.gap)

    def _load(self, tx: Connection) -> None:
        """Read everything that is kept in memory."""
        text = facts.get(tx, _TAXONOMY)
        self.taxonomy = None if text is None else Taxonomy.parse(text.encode(), "ntriples")
        self._audience.set_taxonomy(self.taxonomy)
        self.log_bytes = int(tx.execute("SELECT coalesce(sum(length(nquads)), 0) FROM events").fetchone()[0])
        self.clients |= {client.id: client for client in identities.everyone(tx).values()}
        sizes, lasts = outbox.sizes(tx), outbox.lasts(tx)
        for record in registry.everyone(tx):
            self.roster.put(record)
            standing = self.roster.standing(record.number)
            standing.bytes_waiting = sizes.get(record.number, 0)
            standing.latest = lasts.get(record.number, 0)
            subscription = _parsed(record)
            standing.is_unindexed = is_unindexed(subscription)
            if record.is_live and record.quarantined is None:
                self._audience.add(subscription, self._grant(record.owner))


def warm_up() -> None:
    """Match something, so that the first publisher does not wait for kernels to be compiled or loaded."""
    audience = Audience()
    audience.add(Subscription.parse("SELECT ?s { ?s <urn:p> ?o }", id="0"), Grant())
    list(audience.matches(Event.parse("<urn:s> <urn:p> <urn:o> .", graph="urn:triplewire:warm-up")))


def readable(client: Client) -> Grant:
    """What a client may read, or `Forbidden`."""
    if client.rights.subscribe is None:
        raise Forbidden("wanted a client that may read, found one that may not")
    return client.rights.subscribe


def _seen(record: Record, grant: Grant) -> tuple[Record, Event] | None:
    event = visible(event_of(record), grant)
    return None if event is None else (record, event)


def _numbered(subscription: Subscription, record: SubscriptionRecord) -> Subscription:
    return msgspec.structs.replace(subscription, id=str(record.number))


def _parsed(record: SubscriptionRecord) -> Subscription:
    return Subscription.parse(record.text, record.language, id=str(record.number), owner=record.owner)


def _require_same(known: SubscriptionRecord, subscription: Subscription) -> None:
    if (known.language, known.text) != (subscription.language, subscription.text):
        raise DuplicateSubscription(
            f"the subscription {known.name!r} is taken by another query; delete it first, or choose another name"
        )
