"""Dead letters: notifications that were given up, kept with the reason."""

from __future__ import annotations

from triplewire.node.core import Core
from triplewire.store import deadletters, outbox
from triplewire.store.deadletters import DeadLetter
from triplewire.store.disk import Connection


class Letters:
    """The dead letters of every subscription."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def bury(self, number: int, position: int, reason: str, attempts: int) -> None:
        """Give a notification up: keep it as a dead letter. Whoever delivers acknowledges it next."""

        def work(tx: Connection) -> None:
            for waiting in outbox.after(tx, number, position - 1, 1):
                letter = DeadLetter(
                    0, number, position, waiting.event, waiting.answer, reason, attempts, self._core.steady.time()
                )
                if waiting.position == position:
                    deadletters.bury(tx, letter)

        await self._core.write(work)

    async def after(self, owner: str | None, after: int, limit: int) -> list[DeadLetter]:
        """Dead letters, oldest first; of one owner, or of all."""
        letters = await self._core.read(lambda tx: deadletters.after(tx, after, limit))
        return [letter for letter in letters if owner is None or self._is_of(letter, owner)]

    async def find(self, letter_id: int) -> DeadLetter | None:
        """One dead letter."""
        return await self._core.read(lambda tx: deadletters.find(tx, letter_id))

    async def forget(self, letter_id: int) -> None:
        """Remove a dead letter: it was delivered after all, or nobody wants it."""
        await self._core.write(lambda tx: deadletters.remove(tx, letter_id))

    def _is_of(self, letter: DeadLetter, owner: str) -> bool:
        record = self._core.roster.get(letter.subscription)
        return record is not None and record.owner == owner
