"""The backlog: what waits to be sent to one client, in order, and how much that is (row F5).

A view's answer may be large and is always taken where nothing waits. Otherwise a client may have so much in front of
it, and its owner so much over all of its sockets: whoever reads more slowly than what it asked for changes is too slow.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque

from msgspec import Struct

# Two of the largest notifications.
MOST_BYTES = 32 << 20
# With more in front of it a client is not listened to.
SHORT_BYTES = 1 << 20


class Waiting(Struct, frozen=True):
    """A frame; or what the view of a subscription has said, and whose that is. `is_graph`: it is about triples."""

    content: str | bytes
    spuid: str | None = None
    owner: str | None = None
    is_graph: bool = False


class Backlog:
    """Used on the event loop. `by_owner` counts the bytes of everybody's backlogs."""

    def __init__(self, by_owner: Counter[str], most: int = MOST_BYTES) -> None:
        self._by_owner = by_owner
        self._most = most
        self._items: deque[Waiting] = deque()
        self._size = 0
        self._news = asyncio.Event()
        self._short = asyncio.Event()
        self._short.set()

    def put(self, item: Waiting, quota: int | None = None) -> bool:
        """Take something in, unless that is too much."""
        size = len(item.content)
        if self._items and self._size + size > self._most:
            return False
        if item.owner is not None:
            if quota is not None and self._by_owner[item.owner] + size > quota:
                return False
            self._by_owner[item.owner] += size
        self._items.append(item)
        self._size += size
        self._news.set()
        if self._size > SHORT_BYTES:
            self._short.clear()
        return True

    async def first(self) -> Waiting:
        """What is to be sent next. It counts until it is dropped."""
        while not self._items:
            self._news.clear()
            await self._news.wait()
        return self._items[0]

    def drop_first(self) -> None:
        """It was sent."""
        item = self._items.popleft()
        size = len(item.content)
        self._size -= size
        if item.owner is not None:
            self._by_owner[item.owner] -= size
            if not self._by_owner[item.owner]:
                del self._by_owner[item.owner]
        if self._size <= SHORT_BYTES:
            self._short.set()

    async def until_short(self) -> None:
        """Wait while much is in front of the client."""
        await self._short.wait()

    def clear(self) -> None:
        """The client is gone."""
        while self._items:
            self.drop_first()
