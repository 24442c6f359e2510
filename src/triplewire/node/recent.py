"""Recent: what was just put into the outboxes of subscriptions that somebody follows, in memory from its commit on.

A stream that keeps up never reads the disk. One that is slower than its tail is long reads pages from the disk until
it is near the end again; so a slow reader costs a bounded amount of memory, and nobody else anything (row F5).

What must hold: a tail has everything that was noticed after its `after`, without a hole. Whatever is noticed, and
whoever begins to follow, goes through one lock; between the two a notification is in the tail or known to be before it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import islice
from threading import Lock

from msgspec import Struct, field

from triplewire.node.roster import Roster
from triplewire.store.log import Record
from triplewire.store.outbox import Notice

MOST_ITEMS = 256
MOST_BYTES = 256 * 1024


class Item(Struct, frozen=True):
    """A notification and the record of its event."""

    record: Record
    answer: bytes

    @property
    def size(self) -> int:
        return len(self.record.nquads) + len(self.answer)


class Tail(Struct):
    """What a subscription was told after a position, in order. `readers` follow it."""

    after: int
    readers: int = 0
    size: int = 0
    items: deque[Item] = field(default_factory=deque)

    def add(self, item: Item) -> None:
        """Take an item; the oldest make room."""
        self.items.append(item)
        self.size += item.size
        while len(self.items) > MOST_ITEMS or self.size > MOST_BYTES:
            oldest = self.items.popleft()
            self.size -= oldest.size
            self.after = oldest.record.position

    def begin_after(self, position: int) -> None:
        """Forget everything up to a position."""
        self.after, self.size = position, 0
        self.items.clear()


class Recent:
    """Tails by subscription. `noticed` is called on the writer's thread, the rest on the event loop."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._tails: dict[int, Tail] = {}
        self._lock = Lock()

    def follow(self, number: int) -> None:
        """Keep a tail for a subscription until `unfollow` was called as often."""
        with self._lock:
            tail = self._tails.get(number)
            if tail is None:
                tail = self._tails[number] = Tail(self._roster.standing(number).latest)
            tail.readers += 1

    def unfollow(self, number: int) -> None:
        """Nobody needs the tail any more, unless somebody else does."""
        with self._lock:
            tail = self._tails[number]
            tail.readers -= 1
            if not tail.readers:
                del self._tails[number]

    def __contains__(self, number: object) -> bool:
        """Whether somebody follows a subscription."""
        return number in self._tails

    def noticed(self, notices: Sequence[Notice], records: Sequence[Record]) -> set[int]:
        """Note what was committed; `records` are the events', in order, or none where it was history.

        Returns the subscriptions that have something new.
        """
        first = records[0].position if records else 0
        told: set[int] = set()
        with self._lock:
            for notice in notices:
                standing = self._roster.standing(notice.subscription)
                standing.count(notice.position, notice.size)
                told.add(notice.subscription)
                if notice.position <= standing.latest:
                    continue
                standing.latest = notice.position
                tail = self._tails.get(notice.subscription)
                if tail is None:
                    continue
                if records:
                    tail.add(Item(records[notice.position - first], notice.answer))
                else:
                    tail.begin_after(notice.position)
        return told

    def after(self, number: int, position: int, limit: int) -> list[Item] | None:
        """What follows a position, at most `limit`; None if only the disk knows."""
        with self._lock:
            tail = self._tails.get(number)
            if tail is None or position < tail.after:
                return None
            return list(islice((item for item in tail.items if item.record.position > position), limit))

    def __len__(self) -> int:
        return len(self._tails)
