"""Catch-up: subscriptions that are not live read the log until they are, each in a matcher of its own.

A subscription is behind the log because it began in the past, or because so much waited for its owner, came to its
owner at once, or came without anybody reading, that it was no longer matched. Everything here runs after a commit, on
the writer's thread, except `begin` and `wake`.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.node.broker.state import BrokerState
from triplewire.node.matching.catch_up_step import CaughtUp, catch_up
from triplewire.node.matching.live_matchers import LiveMatchers
from triplewire.store import retention
from triplewire.store.disk import Connection
from triplewire.store.tables import log, registry
from triplewire.store.tables.log import Record
from triplewire.store.tables.outbox import OutboxEntry
from triplewire.store.tables.registry import SubscriptionRecord

_SHORTEST_BACKOFF = 0.1


class CatchUp:
    """Which subscriptions are catching up, and what becomes of those that may not."""

    def __init__(self, state: BrokerState) -> None:
        self._state = state
        self._matchers: dict[int, LiveMatchers] = {}
        self._backing_off: set[int] = set()

    def __contains__(self, number: object) -> bool:
        return number in self._matchers

    def begin(self) -> None:
        """Go on with everything that was behind when the node stopped."""
        for record in self._state.index:
            self._advance_if_waiting(record)

    def resume(self, owner: str) -> None:
        """Go on with an owner's subscriptions that wait for room."""
        for record in self._state.index.of(owner):
            self._advance_if_waiting(record)

    def wake(self, record: SubscriptionRecord) -> None:
        """Go on with a subscription that is being read; from the event loop."""
        if self._waits(record):
            self._state.store.submit_alone(lambda _: None, lambda _: self.advance(record.number))

    def advance(self, number: int) -> None:
        """Read the next part of the log for a subscription, if there is room for what it finds."""
        record = self._state.index.get(number)
        if record is None or record.is_live or self._is_left_unread(number):
            return
        if self._has_no_room(number) or self._must_back_off(number):
            return
        matchers = self._matchers.get(number) or self._alone(record)
        self._matchers[number] = matchers
        work = self._state.store.submit_alone(
            lambda tx: catch_up(tx, number, matchers), lambda done: self._caught_up(number, matchers, done)
        )
        work.add_done_callback(lambda done: self._stopped_short(number, done.exception()))

    def put_off(self, number: int, frontier: int) -> None:
        """A subscription was put off: after a while it goes on from the log, if it is read."""
        self._state.index.change(number, frontier=frontier)
        self._back_off(number, 0.0)

    def forget(self, number: int) -> None:
        """Stop: the subscription is gone, or begins again under other rights."""
        self._matchers.pop(number, None)

    def set_taxonomy(self, taxonomy: Taxonomy | None) -> None:
        """Read events by another taxonomy from now on."""
        for matchers in self._matchers.values():
            matchers.set_taxonomy(taxonomy)

    def note_entries(self, entries: Sequence[OutboxEntry], records: Sequence[Record] = ()) -> None:
        """Note what was put into outboxes, and stop matching for subscriptions that have too much in theirs.

        `records` are those of the events, if these were just published.
        """
        state = self._state
        state.counters.matched += len(entries)
        numbers = state.recent.note_entries(entries, records)
        for number in numbers:
            if state.is_over_quota(number) or state.index.progress(number).is_left_unread:
                self._pause(number)
        state.wake(numbers)

    def quarantine(self, matchers: LiveMatchers) -> None:
        """Take out of matchers what needed too much work, and keep the reason (row A11)."""
        for name, reason in matchers.quarantined.items():
            number = int(name)
            matchers.remove(name)
            self._state.index.change(number, quarantined=reason)
            self._state.store.submit(
                lambda tx, number=number, reason=reason: registry.quarantine(tx, number, reason)  # type: ignore[misc]
            )

    # Private

    def _must_back_off(self, number: int) -> bool:
        """Whether a subscription's owner has got more than it may a second; then it goes on when that has passed."""
        client = self._state.owner_of(number)
        wait = 0.0 if client is None else self._state.rates.spend(client, 0)
        if wait:
            self._back_off(number, wait)
        return bool(wait)

    def _back_off(self, number: int, wait: float) -> None:
        self._matchers.pop(number, None)
        self._backing_off.add(number)
        self._state.later(max(wait, _SHORTEST_BACKOFF), lambda: self._after_backoff(number))

    def _after_backoff(self, number: int) -> None:
        self._backing_off.discard(number)
        record = self._state.index.get(number)
        if record is None or not self._state.is_open:
            return
        progress = self._state.index.progress(number)
        # Whoever does not read what is there needs no more of it: the next page that is read goes on.
        is_read = progress.latest <= max(progress.read_to, record.cursor)
        if is_read and (progress.latest or number in self._state.wakeups or number in self._state.recent):
            self.wake(record)

    def _waits(self, record: SubscriptionRecord) -> bool:
        at_work = record.number in self._matchers or record.number in self._backing_off
        return not record.is_live and not at_work and record.quarantined is None

    def _advance_if_waiting(self, record: SubscriptionRecord) -> None:
        if self._waits(record):
            self.advance(record.number)

    def _alone(self, record: SubscriptionRecord) -> LiveMatchers:
        matchers = LiveMatchers(self._state.taxonomy, self._state.asks_why)
        matchers.add(parsed(record), self._state.grant(record.owner))
        return matchers

    def _pause(self, number: int) -> None:
        """Stop matching a subscription whose owner does not read; the log keeps what it misses."""
        record = self._state.index.get(number)
        if record is None or not record.is_live or str(number) not in self._state.matchers:
            return

        def work(tx: Connection) -> int:
            frontier = log.head(tx)
            registry.set_frontier(tx, number, frontier)
            return frontier

        def then(frontier: int) -> None:
            self._state.matchers.remove(str(number))
            self._state.index.change(number, frontier=frontier)
            # A full outbox waits for its reader; what nobody read waits for one, too, who may have come by now; too
            # much at once waits only for a while.
            if not self._state.is_over_quota(number):
                self.advance(number)

        self._state.store.submit_alone(work, then)

    def _is_left_unread(self, number: int) -> bool:
        """Whether nobody reads what there is already; the next page that is read goes on."""
        is_left = self._state.index.progress(number).is_left_unread
        if is_left:
            self._matchers.pop(number, None)
        return is_left

    def _has_no_room(self, number: int) -> bool:
        """Whether as much waits as may. What was read already makes room."""
        if not self._state.is_over_quota(number):
            return False
        read_to = self._state.index.progress(number).read_to
        if read_to:
            self._state.store.submit(
                lambda tx: retention.drop_read(tx, number, read_to), lambda sizes: self._dropped(number, read_to, sizes)
            )
        self._matchers.pop(number, None)
        return True

    def _dropped(self, number: int, read_to: int, sizes: dict[int, int]) -> None:
        record = self._state.index.get(number)
        if record is None or not sizes:
            return
        self._state.index.change(number, gap=read_to)
        self._state.index.release(sizes)
        self.resume(record.owner)

    def _caught_up(self, number: int, matchers: LiveMatchers, done: CaughtUp | None) -> None:
        record = self._state.index.get(number)
        if done is None or record is None:
            self._matchers.pop(number, None)
            return
        self._state.counters.candidates += matchers.take_candidates()
        if (client := self._state.owner_of(number)) is not None:
            self._state.rates.spend(client, len(done.entries))
        self.note_entries(done.entries)
        self._state.index.change(number, frontier=done.frontier, gap=max(record.gap, done.gap))
        self.quarantine(matchers)
        if done.frontier is not None and str(number) in matchers:
            self.advance(number)
            return
        self._matchers.pop(number, None)
        if str(number) in matchers:
            self._state.matchers.add(parsed(record), self._state.grant(record.owner))
        self._state.wake({number})

    def _stopped_short(self, number: int, problem: BaseException | None) -> None:
        """A log that cannot be read stops the subscription with the reason; nothing is passed over."""
        if problem is None:
            return
        self._matchers.pop(number, None)
        self._state.index.change(number, quarantined=str(problem))
        self._state.wake({number})


def parsed(record: SubscriptionRecord) -> Subscription:
    """The subscription of a record, under its number."""
    return Subscription.parse(record.text, record.language, id=str(record.number), owner=record.owner)


def numbered(subscription: Subscription, record: SubscriptionRecord) -> Subscription:
    """A subscription that was parsed before it had a number, under it."""
    return msgspec.structs.replace(subscription, id=str(record.number))
