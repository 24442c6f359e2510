"""The subscription index: what the node knows of its subscriptions without asking the disk.

A copy of the registry with two counters for each subscription, changed after a commit and only by the writer's thread;
others read it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Struct

from triplewire.errors import UnknownSubscription
from triplewire.store.tables.registry import SubscriptionRecord

# A reader that reads at all has had the time to take a page of so many.
MOST_UNREAD = 4_000
# Of so many events one must have matched, or to match them all again later would cost more than it saves.
_ONE_IN = 4


class Progress(Struct):
    """How far a subscription has come: bytes that wait, the newest position, how far it was read, what it needs.

    `unread` is how many notifications came since anybody last read, the first of them at `unread_from`; `matched` and
    `delivered` count those that were made and handed out since the node started.
    """

    bytes_waiting: int = 0
    latest: int = 0
    read_to: int = 0
    unread: int = 0
    unread_from: int = 0
    is_unindexed: bool = False
    matched: int = 0
    delivered: int = 0

    def count(self, position: int, size: int) -> None:
        """Count a notification that was made."""
        self.bytes_waiting += size
        self.matched += 1
        self.unread_from = self.unread_from if self.unread else position
        self.unread += 1

    @property
    def is_left_unread(self) -> bool:
        """Whether nobody reads while much comes; then matching can wait until somebody does (row F5).

        >>> busy, selective = Progress(unread=5_000, latest=5_000), Progress(unread=5_000, latest=1_000_000)
        >>> busy.is_left_unread, selective.is_left_unread, Progress(unread=4_000, latest=4_000).is_left_unread
        (True, False, False)
        """
        return self.unread > MOST_UNREAD and self.unread * _ONE_IN >= self.latest - self.unread_from


class SubscriptionIndex:
    """Subscriptions by number, and by owner and name."""

    def __init__(self) -> None:
        self._records: dict[int, SubscriptionRecord] = {}
        self._numbers: dict[tuple[str, str], int] = {}
        self._progress: dict[int, Progress] = {}
        self._by_owner: dict[str, set[int]] = {}
        # Those that want to know what their solutions stand on.
        self.asking_why: set[int] = set()

    def put(self, record: SubscriptionRecord) -> None:
        """Add or replace."""
        self._records[record.number] = record
        self._numbers[record.owner, record.name] = record.number
        self._progress.setdefault(record.number, Progress())
        self._by_owner.setdefault(record.owner, set()).add(record.number)
        self._note_why(record)

    def remove(self, number: int) -> None:
        """Forget; one that is not there is fine."""
        record = self._records.pop(number, None)
        if record is not None:
            self._numbers.pop((record.owner, record.name), None)
            self._progress.pop(number, None)
            self._by_owner[record.owner].discard(number)
            self.asking_why.discard(number)

    def change(self, number: int, **changes: object) -> None:
        """Replace some fields of a record, if it is still there."""
        if number in self._records:
            self._records[number] = msgspec.structs.replace(self._records[number], **changes)
            self._note_why(self._records[number])

    def get(self, number: int) -> SubscriptionRecord | None:
        return self._records.get(number)

    def named(self, owner: str, name: str) -> SubscriptionRecord | None:
        number = self._numbers.get((owner, name))
        return None if number is None else self._records.get(number)

    def require(self, number: int) -> SubscriptionRecord:
        """The subscription, or `UnknownSubscription`."""
        record = self._records.get(number)
        if record is None:
            raise UnknownSubscription(wanted=f"the subscription number {number}", found="none")
        return record

    def of(self, owner: str) -> list[SubscriptionRecord]:
        """An owner's subscriptions, oldest first."""
        return [self._records[number] for number in sorted(self._by_owner.get(owner, ()))]

    def progress(self, number: int) -> Progress:
        """How far a subscription has come; a fresh one for a subscription that is gone."""
        return self._progress.get(number) or Progress()

    def bytes_of(self, owner: str) -> int:
        """How many bytes wait for an owner."""
        return sum(self.progress(number).bytes_waiting for number in self._by_owner.get(owner, ()))

    def unindexed_of(self, owner: str) -> int:
        """How many of an owner's subscriptions are tested on every event."""
        return sum(self.progress(number).is_unindexed for number in self._by_owner.get(owner, ()))

    def release(self, sizes: Mapping[int, int]) -> None:
        """Note that bytes do not wait any more."""
        for number, size in sizes.items():
            progress = self.progress(number)
            progress.bytes_waiting = max(0, progress.bytes_waiting - size)

    def _note_why(self, record: SubscriptionRecord) -> None:
        if record.options.why:
            self.asking_why.add(record.number)
        else:
            self.asking_why.discard(record.number)

    @property
    def without_views(self) -> list[SubscriptionRecord]:
        """Those that are about events."""
        return [record for record in self if not record.is_view]

    def __iter__(self) -> Iterator[SubscriptionRecord]:
        return iter(list(self._records.values()))

    def __len__(self) -> int:
        return len(self._records)
