"""Lanes: what concerns one thing is done in order, one after the other; different things at the same time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from triplewire.system.supervisor import Supervisor

Work = Callable[[], Coroutine[Any, Any, None]]


class Lanes:
    """`on_change` is called with the number of things that wait or are being done."""

    def __init__(self, on_change: Callable[[int], None]) -> None:
        self._on_change = on_change
        self._waiting: dict[str, deque[Work]] = {}
        self._tasks = Supervisor()
        self._count = 0

    def add(self, lane: str, work: Work) -> None:
        """Do something after whatever there is in its lane."""
        self._changed(1)
        if lane in self._waiting:
            self._waiting[lane].append(work)
            return
        self._waiting[lane] = deque([work])
        self.alongside(self._run(lane), counts=False)

    def alongside(self, work: Coroutine[Any, Any, None], *, counts: bool = True) -> None:
        """Do something at the same time as everything else; what is begun earlier is begun earlier."""
        if counts:
            self._changed(1)
        task = self._tasks.start("work for a peer", work)
        if counts:
            task.add_done_callback(lambda _: self._changed(-1))

    async def stop(self) -> None:
        """Do nothing more."""
        await self._tasks.stop()

    async def _run(self, lane: str) -> None:
        waiting = self._waiting[lane]
        try:
            while waiting:
                try:
                    await waiting[0]()
                finally:
                    waiting.popleft()
                    self._changed(-1)
        finally:
            self._changed(-len(waiting))
            del self._waiting[lane]

    def _changed(self, by: int) -> None:
        self._count += by
        self._on_change(self._count)
