"""Inbound events: events from the network are stored, in order, and notified like any others.

A repeat changes nothing. An event whose name has another content here is dropped, logged and counted as a conflict: two
publishers have given one name to two things, and a subscriber keeps the first.

Resource handling: what waits for the disk is bounded; above that `is_full` says so, and nothing more is read from the
network until it has been written.

Error handling: a full disk is waited for. A failed disk ends the node anyway.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from triplewire.errors import DiskFull, EventConflict, StoreError, TriplewireError
from triplewire.network.messages import Publication
from triplewire.network.routing.publications import event_of
from triplewire.node.broker.broker import Broker
from triplewire.node.broker.publish_step import Submission
from triplewire.node.transport.rate_limited_log import RateLimitedLog
from triplewire.rdf.events import Event
from triplewire.rdf.limits import MIB

_log = logging.getLogger(__name__)

_MOST = 5_000
_MOST_BYTES = 64 * MIB
_BATCH = 500
_FULL_SECONDS = 1.0


class InboundEvents:
    """Stores publications of other nodes. `counts` is by outcome: accepted, conflicts, refused.

    `on_done` is called with those that are on the disk, or were left out for good.
    """

    def __init__(
        self,
        broker: Broker,
        counts: Counter[str],
        on_room: Callable[[], None],
        on_done: Callable[[Sequence[Publication]], None] = lambda _: None,
    ) -> None:
        self._broker = broker
        self._counts = counts
        self._on_room = on_room
        self._on_done = on_done
        self._waiting: deque[Publication] = deque()
        self._bytes = 0
        self._added = 0
        self._stored = 0
        self._wake_up = asyncio.Event()
        self._progress = asyncio.Condition()
        self._limited_log = RateLimitedLog(_log)

    def add(self, publication: Publication) -> None:
        self._waiting.append(publication)
        self._bytes += len(publication.nquads)
        self._added += 1
        self._wake_up.set()

    @property
    def is_full(self) -> bool:
        return len(self._waiting) > _MOST or self._bytes > _MOST_BYTES

    async def settled(self) -> None:
        """Wait until everything that was added so far is on the disk."""
        mark = self._added
        async with self._progress:
            await self._progress.wait_for(lambda: self._stored >= mark)

    async def run(self) -> None:
        """Store what comes, until cancelled."""
        while True:
            await self._wake_up.wait()
            self._wake_up.clear()
            while self._waiting:
                batch = [self._waiting[place] for place in range(min(_BATCH, len(self._waiting)))]
                await self._store(batch)
                await self._done(len(batch))
                self._on_done(batch)

    async def _done(self, count: int) -> None:
        was_full = self.is_full
        for _ in range(count):
            self._bytes -= len(self._waiting.popleft().nquads)
        self._stored += count
        async with self._progress:
            self._progress.notify_all()
        if was_full and not self.is_full:
            self._on_room()

    async def _store(self, batch: list[Publication]) -> None:
        submissions = [found for one in batch if (found := self._submission(one)) is not None]
        while submissions:
            outcomes = await asyncio.gather(
                *map(self._broker.events.publish_remote, submissions), return_exceptions=True
            )
            later = []
            for submission, outcome in zip(submissions, outcomes, strict=True):
                if isinstance(outcome, DiskFull):
                    later.append(submission)
                else:
                    self._count_outcome(submission, outcome)
            submissions = later
            if later:
                _log.warning("events of the network have to wait: the disk is full")
                await asyncio.sleep(_FULL_SECONDS)

    def _submission(self, publication: Publication) -> Submission | None:
        try:
            event = _event(publication)
        except (TriplewireError, ValueError) as problem:
            self._counts["refused"] += 1
            self._limited_log.warning("refused", "refused an event of %s: %s", publication.origin, problem)
            return None
        accepted = self._broker.date.time()
        return Submission(
            publication.publisher, (event,), accepted, origin=publication.origin, origin_position=publication.position
        )

    def _count_outcome(self, submission: Submission, outcome: object) -> None:
        if isinstance(outcome, EventConflict):
            self._counts["conflicts"] += 1
            self._limited_log.warning("conflict", "an event of %s is left out: %s", submission.origin, outcome)
        elif isinstance(outcome, StoreError):
            raise outcome
        elif isinstance(outcome, BaseException):
            self._counts["refused"] += 1
            self._limited_log.error("bug", "a bug: an event of %s: %s", submission.origin, outcome, exc_info=outcome)
        else:
            self._counts["accepted"] += 1


def _event(publication: Publication) -> Event:
    """The event, with its own time and source."""
    time = datetime.fromisoformat(publication.time)
    return msgspec.structs.replace(event_of(publication), time=time, source=publication.source)
