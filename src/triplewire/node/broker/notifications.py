"""Notifications: a subscription's are read in pages, waited for, and acknowledged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from triplewire.errors import InputError
from triplewire.node.broker.events import data_at, seen
from triplewire.node.broker.recent_notifications import RecentEntry
from triplewire.node.broker.state import BrokerState
from triplewire.node.matching.answers import Notification, notification
from triplewire.node.matching.catch_up import CatchUp
from triplewire.store.disk import Connection
from triplewire.store.tables import log, outbox, registry
from triplewire.store.tables.identities import Grant
from triplewire.store.tables.outbox import OutboxEntry
from triplewire.store.tables.registry import SubscriptionRecord

# A reader of a subscription that is catching up is given this long to see the first of it.
_PATIENCE = 5.0


class NotificationPage(Struct, frozen=True):
    """Notifications in order. `next` is where to read on, or None at the end.

    `gap` is set where retention removed something between where the reader was and this page: everything up to it.
    """

    notifications: list[Notification]
    next: int | None
    gap: int | None = None


class Notifications:
    """What a subscription's reader does."""

    def __init__(self, state: BrokerState, catch_up: CatchUp) -> None:
        self._state = state
        self._catch_up = catch_up

    async def page(self, number: int, after: int = 0, limit: int = 100) -> NotificationPage:
        """Notifications that follow a position. Reading on means that what came before was read."""
        record = self._state.index.require(number)
        self._state.require_readable(record)
        if record.options.paused:
            return NotificationPage([], None)
        self._note_read(record, after)
        recent = self._recent(record, after, limit)
        if recent is not None:
            return recent
        await self._see_some(number, after)
        page, is_whole, lost = await self._state.store.read(lambda tx: self._from_disk(tx, record, after, limit))
        record = self._state.index.require(number)
        has_more = not is_whole or not record.is_live
        following = page[-1].position if page else after
        lost = max(record.gap, lost)
        gap = lost if after < lost and record.cursor < lost else None
        self._note_delivered(number, len(page))
        return NotificationPage(page, following if has_more else None, gap)

    async def wait(self, number: int, after: int, timeout: float | None = None) -> bool:
        """Wait until there is a notification beyond a position. False: the time ran out, or the node stops."""
        state = self._state
        deadline = None if timeout is None else state.clock.monotonic() + timeout
        while state.is_open and not self._has_more(number, after):
            left = None if deadline is None else deadline - state.clock.monotonic()
            if (left is not None and left <= 0) or not await state.wakeups.wait(number, left):
                break
        return state.is_open and self._has_more(number, after)

    async def acknowledge(self, number: int, position: int) -> None:
        """Note that everything up to a position has arrived; it is not kept any longer."""
        self._state.index.require(number)

        def work(tx: Connection) -> int:
            head = log.head(tx)
            if position > head:
                # It would be taken for the arrival of everything that is still to come.
                raise InputError(wanted=f"a position up to {head}, which is the newest", found=str(position))
            registry.set_cursor(tx, number, position)
            return outbox.remove_to(tx, number, position)

        await self._state.store.write(work, lambda size: self._acknowledged(number, position, size))

    @contextmanager
    def following(self, number: int) -> Iterator[None]:
        """While this lasts, what is new for a subscription is read from memory."""
        self._state.recent.follow(number)
        try:
            yield
        finally:
            self._state.recent.unfollow(number)

    @contextmanager
    def not_following(self, number: int) -> Iterator[None]:
        """An interruption of `following`, for a reader that will not read for a while."""
        self._state.recent.unfollow(number)
        try:
            yield
        finally:
            self._state.recent.follow(number)

    # Private

    def _has_more(self, number: int, after: int) -> bool:
        """Whether something beyond a position is to be handed out."""
        return (
            not self._state.index.require(number).options.paused and self._state.index.progress(number).latest > after
        )

    def _note_delivered(self, number: int, count: int) -> None:
        self._state.counters.delivered += count
        self._state.index.progress(number).delivered += count

    def _recent(self, record: SubscriptionRecord, after: int, limit: int) -> NotificationPage | None:
        """The page, if it is in memory. Gaps are read from the disk."""
        if not record.is_live or record.gap > after:
            return None
        recent = self._state.recent.after(record.number, max(after, record.cursor), limit + 1)
        if recent is None:
            return None
        grant = self._state.grant(record.owner) if record.options.payload == "event" else None
        page = [_notification(one, grant) for one in recent[:limit]]
        self._note_delivered(record.number, len(page))
        return NotificationPage(page, page[-1].position if len(recent) > limit else None)

    def _acknowledged(self, number: int, position: int, size: int) -> None:
        record = self._state.index.get(number)
        if record is None:
            return
        self._state.counters.acknowledged += 1
        self._state.index.progress(number).unread = 0
        self._state.index.change(number, cursor=max(record.cursor, position))
        self._state.index.release({number: size})
        self._state.recent.drop_to(number, position)
        self._catch_up.resume(record.owner)

    async def _see_some(self, number: int, after: int) -> None:
        """Give a subscription that is catching up the time to have something beyond a position."""
        state = self._state
        deadline = state.clock.monotonic() + _PATIENCE
        while state.is_open and number in self._catch_up and state.index.progress(number).latest <= after:
            if not await state.wakeups.wait(number, deadline - state.clock.monotonic()):
                break

    def _note_read(self, record: SubscriptionRecord, after: int) -> None:
        progress = self._state.index.progress(record.number)
        progress.unread = 0
        # Nobody has read what is not there yet.
        read_to = min(after, progress.latest)
        if read_to <= progress.read_to and after < progress.latest:
            return
        progress.read_to = max(read_to, progress.read_to)
        self._catch_up.wake(record)

    def _from_disk(
        self, tx: Connection, record: SubscriptionRecord, after: int, limit: int
    ) -> tuple[list[Notification], bool, int]:
        """A page, whether nothing follows it, and the gap. Whoever catches up may be live by the time this is read."""
        entries = outbox.after(tx, record.number, after, limit + 1)
        kept = registry.find(tx, record.number)
        page = [self._kept_notification(tx, record, entry) for entry in entries[:limit]]
        is_whole = len(entries) <= limit and kept is not None and kept.is_live
        return page, is_whole, kept.gap if kept else 0

    def _kept_notification(self, tx: Connection, record: SubscriptionRecord, entry: OutboxEntry) -> Notification:
        wants_event = record.options.payload == "event"
        nquads = data_at(tx, entry.position, self._state.grant(record.owner)) if wants_event else None
        return notification(entry.event, entry.position, entry.answer, nquads)


def _notification(recent: RecentEntry, grant: Grant | None) -> Notification:
    """What goes out for an entry in memory; with as much of its event as a grant leaves, if there is one."""
    found = None if grant is None else seen(recent.record, grant)
    entry = recent.entry
    return notification(entry.event, entry.position, entry.answer, None if found is None else found[1].nquads)
