"""Bells: how whoever waits for a subscription's next notification is woken, on the event loop."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable


class Bells:
    """One bell for each subscription. Used on the event loop only."""

    def __init__(self) -> None:
        self._waiting: defaultdict[int, set[asyncio.Future[None]]] = defaultdict(set)

    async def hear(self, number: int, timeout: float | None) -> bool:
        """Wait for the bell. False if the time ran out first."""
        bell = asyncio.get_running_loop().create_future()
        self._waiting[number].add(bell)
        try:
            async with asyncio.timeout(timeout):
                await bell
        except TimeoutError:
            return False
        finally:
            self._forget(number, bell)
        return True

    def __contains__(self, number: object) -> bool:
        """Whether somebody waits for the bell."""
        return number in self._waiting

    def ring(self, numbers: Iterable[int]) -> None:
        """Wake everybody who waits for one of these."""
        for number in numbers:
            for bell in self._waiting.pop(number, ()):
                if not bell.done():
                    bell.set_result(None)

    def ring_all(self) -> None:
        """Wake everybody: the node stops."""
        self.ring(list(self._waiting))

    def _forget(self, number: int, bell: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(number)
        if waiting is not None:
            waiting.discard(bell)
            if not waiting:
                del self._waiting[number]
