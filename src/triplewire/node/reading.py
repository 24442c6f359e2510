"""Reading: a subscription's notifications in pages, waiting for the next, and acknowledging."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
from msgspec import Struct

from triplewire.errors import InputError
from triplewire.node.answers import Notification, notification
from triplewire.node.core import Core
from triplewire.node.histories import Histories
from triplewire.node.intake import data_at, seen
from triplewire.node.recent import Item
from triplewire.store import log, outbox, registry
from triplewire.store.disk import Connection
from triplewire.store.identities import Grant
from triplewire.store.registry import SubscriptionRecord

# A reader of a subscription that is catching up is given this long to see the first of it.
_PATIENCE = 5.0


class Page(Struct, frozen=True):
    """Notifications in order. `next` is where to read on, or None at the end.

    `gap` is set where retention removed something between where the reader was and this page: everything up to it.
    """

    notifications: list[Notification]
    next: int | None
    gap: int | None = None


class Reading:
    """What a subscription's reader does."""

    def __init__(self, core: Core, histories: Histories) -> None:
        self._core = core
        self._histories = histories

    async def page(self, number: int, after: int = 0, limit: int = 100) -> Page:
        """Notifications that follow a position. Reading on means that what came before was read."""
        record = self._core.roster.require(number)
        self._note_read(record, after)
        recent = self._recent(record, after, limit)
        if recent is not None:
            return recent
        await self._see_some(number, after)
        # What the page shows may be on disk before the roster has heard of the gap before it: both are read together.
        waiting, kept = await self._core.store.read(
            lambda tx: (outbox.after(tx, number, after, limit + 1), registry.find(tx, number))
        )
        if record.options.payload == "event":
            waiting = await self._core.store.read(lambda tx: self._with_events(tx, record, waiting))
        record = self._core.roster.require(number)
        page = [notification(one) for one in waiting[:limit]]
        has_more = len(waiting) > limit or not record.is_live
        following = page[-1].position if page else after
        lost = max(record.gap, kept.gap if kept else 0)
        gap = lost if after < lost and record.cursor < lost else None
        self._core.counters.delivered += len(page)
        return Page(page, following if has_more else None, gap)

    async def wait(self, number: int, after: int, timeout: float | None = None) -> bool:
        """Wait until there is a notification beyond a position. False: the time ran out, or the node stops."""
        core = self._core
        deadline = None if timeout is None else core.clock.monotonic() + timeout
        while core.is_open and core.roster.require(number) and core.roster.standing(number).latest <= after:
            left = None if deadline is None else deadline - core.clock.monotonic()
            if (left is not None and left <= 0) or not await core.bells.hear(number, left):
                break
        return core.is_open and core.roster.standing(number).latest > after

    async def acknowledge(self, number: int, position: int) -> None:
        """Note that everything up to a position has arrived; it is not kept any longer."""
        self._core.roster.require(number)

        def work(tx: Connection) -> int:
            head = log.head(tx)
            if position > head:
                # It would be taken for the arrival of everything that is still to come.
                raise InputError(f"wanted a position up to {head}, which is the newest, found {position}")
            registry.set_cursor(tx, number, position)
            return outbox.remove_to(tx, number, position)

        await self._core.store.write(work, lambda size: self._acknowledged(number, position, size))

    @contextmanager
    def following(self, number: int) -> Iterator[None]:
        """While this lasts, what is new for a subscription is read from memory."""
        self._core.recent.follow(number)
        try:
            yield
        finally:
            self._core.recent.unfollow(number)

    # Private

    def _recent(self, record: SubscriptionRecord, after: int, limit: int) -> Page | None:
        """The page, if it is in memory. What retention has removed is for the disk to tell."""
        if not record.is_live or record.gap > after:
            return None
        items = self._core.recent.after(record.number, max(after, record.cursor), limit + 1)
        if items is None:
            return None
        grant = self._core.grant(record.owner) if record.options.payload == "event" else None
        page = [_told(item, grant) for item in items[:limit]]
        self._core.counters.delivered += len(page)
        return Page(page, page[-1].position if len(items) > limit else None)

    def _acknowledged(self, number: int, position: int, size: int) -> None:
        record = self._core.roster.get(number)
        if record is None:
            return
        self._core.counters.acknowledged += 1
        self._core.roster.standing(number).unread = 0
        self._core.roster.change(number, cursor=max(record.cursor, position))
        self._core.roster.release({number: size})
        self._histories.resume(record.owner)

    async def _see_some(self, number: int, after: int) -> None:
        """Give a subscription that is catching up the time to have something beyond a position."""
        core = self._core
        deadline = core.clock.monotonic() + _PATIENCE
        while core.is_open and number in self._histories and core.roster.standing(number).latest <= after:
            if not await core.bells.hear(number, deadline - core.clock.monotonic()):
                break

    def _note_read(self, record: SubscriptionRecord, after: int) -> None:
        standing = self._core.roster.standing(record.number)
        standing.unread = 0
        # Nobody has read what is not there yet.
        read_to = min(after, standing.latest)
        if read_to <= standing.read_to and after < standing.latest:
            return
        standing.read_to = max(read_to, standing.read_to)
        self._histories.wake(record)

    def _with_events(
        self, tx: Connection, record: SubscriptionRecord, waiting: list[outbox.Waiting]
    ) -> list[outbox.Waiting]:
        grant = self._core.grant(record.owner)
        return [msgspec.structs.replace(one, nquads=data_at(tx, one.position, grant)) for one in waiting]


def _told(item: Item, grant: Grant | None) -> Notification:
    """What goes out for an item in memory; with as much of its event as a grant leaves, if there is one."""
    event = None if grant is None else seen(item.record, grant)
    nquads = None if event is None else event[1].nquads
    return notification(outbox.Waiting(item.record.position, item.record.graph, item.record.time, item.answer, nquads))
