"""Dead letters: notifications that were given up, kept with the reason."""

from __future__ import annotations

from collections.abc import Sequence

from triplewire.node.access.grants import visible
from triplewire.node.broker.events import data_at
from triplewire.node.broker.state import BrokerState
from triplewire.node.matching.answers import Notification, notification
from triplewire.rdf.events import Event
from triplewire.rdf.limits import ANY_SIZE
from triplewire.store.disk import Connection
from triplewire.store.tables import dead_letters, outbox
from triplewire.store.tables.dead_letters import DeadLetter
from triplewire.store.tables.outbox import OutboxEntry


class DeadLetters:
    """The dead letters of every subscription."""

    def __init__(self, state: BrokerState) -> None:
        self._state = state

    async def add(self, number: int, position: int, reason: str, attempts: int) -> None:
        """Give a notification up: keep it as a dead letter. Whoever delivers acknowledges it next."""

        def work(tx: Connection) -> None:
            for entry in outbox.after(tx, number, position - 1, 1):
                if entry.position == position:
                    dead_letters.add(tx, self._letter(tx, entry, reason, attempts))

        await self._state.store.write(work)

    async def after(self, owner: str | None = None, after: int = 0, limit: int = 100) -> list[DeadLetter]:
        """Dead letters, oldest first; of one owner, or of all."""
        if owner is None:
            return await self._state.store.read(lambda tx: dead_letters.after(tx, after, limit))
        return await self._state.store.read(lambda tx: dead_letters.of_owner(tx, owner, after, limit))

    async def of_subscriptions(self, numbers: Sequence[int], after: int, limit: int) -> list[DeadLetter]:
        """The same, of these subscriptions only."""
        return await self._state.store.read(lambda tx: dead_letters.of_subscriptions(tx, numbers, after, limit))

    async def find(self, letter_id: int) -> DeadLetter | None:
        """One dead letter."""
        return await self._state.store.read(lambda tx: dead_letters.find(tx, letter_id))

    async def remove(self, letter_id: int) -> None:
        """Remove a dead letter: it was delivered after all, or nobody wants it."""
        await self._state.store.write(lambda tx: dead_letters.remove(tx, letter_id))

    def notification(self, letter: DeadLetter) -> Notification:
        """What goes out when a letter is sent again. What its owner may not read any more is not in it (row A15)."""
        record = self._state.index.require(letter.subscription)
        self._state.require_readable(record)
        nquads = None
        if letter.nquads is not None and record.options.payload == "event":
            [event] = Event.parse(letter.nquads, limits=ANY_SIZE)
            seen = visible(event, self._state.grant(record.owner))
            nquads = None if seen is None else seen.nquads
        return notification(letter.event, letter.position, letter.answer, nquads)

    def _letter(self, tx: Connection, entry: OutboxEntry, reason: str, attempts: int) -> DeadLetter:
        record = self._state.index.require(entry.subscription)
        # Kept with the letter, since retention may remove the event before somebody sends the letter again.
        nquads = data_at(tx, entry.position, self._state.grant(record.owner))
        now = self._state.date.time()
        return DeadLetter(
            0, entry.subscription, entry.position, entry.event, entry.answer, reason, attempts, now, nquads
        )
