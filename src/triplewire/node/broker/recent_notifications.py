"""Recent: what was just put into the outboxes of subscriptions that somebody follows, in memory from its commit on.

A stream that keeps up never reads the disk. One that is slower than its tail is long reads pages from the disk until
it is near the end again; so a slow reader costs a bounded amount of memory, and nobody else anything (row F5).

What must hold: a tail has everything that was committed after its `after`, without a hole. Commits, and readers
that begin to follow, go through one lock; between the two a notification is in the tail or known to be before it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import islice
from threading import Lock

from msgspec import Struct, field

from triplewire.node.broker.subscription_index import SubscriptionIndex
from triplewire.store.tables.log import Record
from triplewire.store.tables.outbox import OutboxEntry

MOST_ENTRIES = 256
MOST_BYTES = 256 * 1024


class RecentEntry(Struct, frozen=True):
    """An entry of the outbox, and the record of its event."""

    entry: OutboxEntry
    record: Record

    @property
    def size(self) -> int:
        return len(self.record.nquads) + len(self.entry.answer)


class Tail(Struct):
    """What was put into a subscription's outbox after a position, in order. `readers` follow it."""

    after: int
    readers: int = 0
    size: int = 0
    entries: deque[RecentEntry] = field(default_factory=deque)

    def add(self, fresh: RecentEntry) -> None:
        """Take an entry; the oldest make room."""
        self.entries.append(fresh)
        self.size += fresh.size
        while len(self.entries) > MOST_ENTRIES or self.size > MOST_BYTES:
            oldest = self.entries.popleft()
            self.size -= oldest.size
            self.after = oldest.entry.position

    def drop_to(self, position: int) -> None:
        """Forget what was acknowledged."""
        while self.entries and self.entries[0].entry.position <= position:
            self.size -= self.entries.popleft().size
        self.after = max(self.after, position)

    def begin_after(self, position: int) -> None:
        """Forget everything up to a position."""
        self.after, self.size = position, 0
        self.entries.clear()


class Recent:
    """Tails by subscription. `note_entries` and `drop_to` are called on the writer's thread, the rest on the loop."""

    def __init__(self, index: SubscriptionIndex) -> None:
        self._index = index
        self._tails: dict[int, Tail] = {}
        self._lock = Lock()

    def follow(self, number: int) -> None:
        """Keep a tail for a subscription until `unfollow` was called as often."""
        with self._lock:
            tail = self._tails.get(number)
            if tail is None:
                tail = self._tails[number] = Tail(self._index.progress(number).latest)
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

    def note_entries(self, entries: Sequence[OutboxEntry], records: Sequence[Record]) -> set[int]:
        """Note what was committed; `records` are the events', in order, or none where it was history.

        Returns the subscriptions that have something new.
        """
        first = records[0].position if records else 0
        numbers: set[int] = set()
        with self._lock:
            for entry in entries:
                progress = self._index.progress(entry.subscription)
                progress.count(entry.position, entry.size)
                numbers.add(entry.subscription)
                if entry.position <= progress.latest:
                    continue
                progress.latest = entry.position
                tail = self._tails.get(entry.subscription)
                if tail is None:
                    continue
                if records:
                    tail.add(RecentEntry(entry, records[entry.position - first]))
                else:
                    tail.begin_after(entry.position)
        return numbers

    def drop_to(self, number: int, position: int) -> None:
        """Forget what was acknowledged up to a position: nobody reads it again."""
        with self._lock:
            tail = self._tails.get(number)
            if tail is not None:
                tail.drop_to(position)

    def after(self, number: int, position: int, limit: int) -> list[RecentEntry] | None:
        """What follows a position, at most `limit`; None if only the disk knows."""
        with self._lock:
            tail = self._tails.get(number)
            if tail is None or position < tail.after:
                return None
            return list(islice((one for one in tail.entries if one.entry.position > position), limit))

    def __len__(self) -> int:
        return len(self._tails)
