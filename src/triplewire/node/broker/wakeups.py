"""Wakeups: how whoever waits for a subscription's next notification is woken, on the event loop."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable


class Wakeups:
    """Who waits, by subscription. Used on the event loop only."""

    def __init__(self) -> None:
        self._waiting: defaultdict[int, set[asyncio.Future[None]]] = defaultdict(set)

    async def wait(self, number: int, timeout: float | None) -> bool:
        """Wait to be woken. False if the time ran out first."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting[number].add(waiter)
        try:
            async with asyncio.timeout(timeout):
                await waiter
        except TimeoutError:
            return False
        finally:
            self._forget(number, waiter)
        return True

    def __contains__(self, number: object) -> bool:
        """Whether somebody waits."""
        return number in self._waiting

    def wake(self, numbers: Iterable[int]) -> None:
        """Wake everybody who waits for one of these."""
        for number in numbers:
            for waiter in self._waiting.pop(number, ()):
                if not waiter.done():
                    waiter.set_result(None)

    def wake_all(self) -> None:
        """Wake everybody: the node stops."""
        self.wake(list(self._waiting))

    def _forget(self, number: int, waiter: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(number)
        if waiting is not None:
            waiting.discard(waiter)
            if not waiting:
                del self._waiting[number]
