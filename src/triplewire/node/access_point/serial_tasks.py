"""Serial tasks: in order within a queue, concurrent between queues."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from triplewire.system.supervisor import Supervisor

Work = Callable[[], Coroutine[Any, Any, None]]


class SerialTasks:
    """`on_change` is called with the number of tasks that wait or run."""

    def __init__(self, on_change: Callable[[int], None]) -> None:
        self._on_change = on_change
        self._waiting: dict[str, deque[Work]] = {}
        self._tasks = Supervisor()
        self._count = 0

    def add(self, queue: str, work: Work) -> None:
        """Append a task to a queue."""
        self._changed(1)
        if queue in self._waiting:
            self._waiting[queue].append(work)
            return
        self._waiting[queue] = deque([work])
        self.run_concurrently(self._run(queue), counts=False)

    def run_concurrently(self, work: Coroutine[Any, Any, None], *, counts: bool = True) -> None:
        """Run a task concurrently with everything else."""
        if counts:
            self._changed(1)
        task = self._tasks.start("work for a peer", work)
        if counts:
            task.add_done_callback(lambda _: self._changed(-1))

    async def stop(self) -> None:
        """Cancel everything."""
        await self._tasks.stop()

    async def _run(self, queue: str) -> None:
        waiting = self._waiting[queue]
        try:
            while waiting:
                try:
                    await waiting[0]()
                finally:
                    waiting.popleft()
                    self._changed(-1)
        finally:
            self._changed(-len(waiting))
            del self._waiting[queue]

    def _changed(self, by: int) -> None:
        self._count += by
        self._on_change(self._count)
