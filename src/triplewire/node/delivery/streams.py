"""One subscription as a stream without end, whatever carries it: notifications, gaps, and keep-alives in between.

A stream reads a page when the last one has been sent, so a reader that is slow holds one page and nobody else (row F5).
While it keeps up, what it reads was just committed and is in memory.
It ends when the subscription is deleted or the node stops, also while it waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, suppress
from typing import Protocol

import msgspec
from msgspec import Struct

from triplewire.errors import Forbidden, UnknownSubscription
from triplewire.node.broker.notifications import NotificationPage
from triplewire.node.matching.answers import Notification
from triplewire.wire.eventstream import HEARTBEAT, frame_bytes, retry_bytes

PAGE = 32
RETRY_MILLISECONDS = 1000


class Gap(Struct, frozen=True):
    """Retention removed what came after `after`, up to `until`, before it was read."""

    after: int
    until: int


class KeepAlive(Struct, frozen=True):
    """Nothing new; the connection is alive."""


StreamItem = Notification | Gap | KeepAlive
KEEP_ALIVE = KeepAlive()


class NotificationSource(Protocol):
    """What a stream asks of the broker's notifications."""

    async def page(self, number: int, after: int = 0, limit: int = 100) -> NotificationPage: ...

    async def wait(self, number: int, after: int, timeout: float | None = None) -> bool: ...

    def following(self, number: int) -> AbstractContextManager[None]: ...


class Streams:
    """Every open stream. `stop` ends them, so that a node need not wait for its readers to leave."""

    def __init__(self, source: NotificationSource, *, keep_alive: float = 15.0) -> None:
        self._source = source
        self._keep_alive = keep_alive
        self._waits: set[asyncio.Task[bool]] = set()
        self._is_stopping = False

    async def pages(self, number: int, after: int) -> AsyncIterator[list[StreamItem]]:
        """What follows a position, for as long as it is read: as much at a time as there is, up to a page."""
        try:
            with self._source.following(number):
                while not self._is_stopping:
                    page = await self._source.page(number, after=after, limit=PAGE)
                    items = items_of(page, after)
                    if items:
                        yield [*items]
                        after = position_of(items[-1])
                    if not page.notifications and not await self.more(number, after, self._keep_alive):
                        yield [KEEP_ALIVE]
        except UnknownSubscription:
            # Deleted while it was read: there is nothing more to say.
            return

    async def more(self, number: int, after: int, timeout: float) -> bool:
        """Wait for something beyond a position. False: the time is up, or the node stops."""
        if self._is_stopping:
            return False
        waiting = asyncio.create_task(self._wait(number, after, timeout))
        self._waits.add(waiting)
        try:
            return await waiting
        except asyncio.CancelledError:
            if not self._is_stopping:
                raise
            return False
        finally:
            self._waits.discard(waiting)

    async def _wait(self, number: int, after: int, timeout: float) -> bool:
        return await self._source.wait(number, after, timeout)

    @property
    def is_stopping(self) -> bool:
        return self._is_stopping

    def stop(self) -> None:
        """End every stream after what it is sending."""
        self._is_stopping = True
        for waiting in self._waits:
            waiting.cancel()


def items_of(page: NotificationPage, after: int) -> list[Notification | Gap]:
    """A page's items in order: first the gap before it, if there is one."""
    gap = [] if page.gap is None or page.gap <= after else [Gap(after, page.gap)]
    return [*gap, *page.notifications]


def position_of(item: Notification | Gap) -> int:
    """Where to read on after an item."""
    return item.until if isinstance(item, Gap) else item.position


async def event_stream(pages: AsyncIterator[list[StreamItem]]) -> AsyncIterator[bytes]:
    """Items as server-sent events; ids are positions, so Last-Event-ID is where to read on."""
    yield retry_bytes(RETRY_MILLISECONDS)
    # The answer has begun: whose grant is taken away meanwhile is told why when it asks again.
    with suppress(Forbidden):
        async for items in pages:
            yield b"".join([framed(item) for item in items])


def framed(item: StreamItem) -> bytes:
    """One item as a frame."""
    if isinstance(item, KeepAlive):
        return HEARTBEAT
    if isinstance(item, Gap):
        return frame_bytes(msgspec.json.encode(item), kind="gap", id=str(item.until))
    return frame_bytes(item.json, kind="notification", id=str(item.position))
