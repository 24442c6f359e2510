"""Background tasks of one owner, from its start to its stop.

An `asyncio.TaskGroup` fits where tasks begin and end within one block. Here they begin and end by calls of their owner,
and one that fails leaves the others running: the task of one webhook has nothing to do with a fault of the next.

Error handling: a task is to handle what it expects. Whatever else ends it is a bug, and is logged at once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

_log = logging.getLogger(__name__)


class Supervisor:
    """Starts tasks on the running event loop, and stops them. `reported_elsewhere` are errors that are not logged."""

    def __init__(self, reported_elsewhere: tuple[type[Exception], ...] = ()) -> None:
        self._reported_elsewhere = reported_elsewhere
        self._tasks: set[asyncio.Task[None]] = set()
        self._named: dict[str, asyncio.Task[None]] = {}

    def start(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something in the background. The name is what the log says, and what it can be cancelled by."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        self._named[name] = task
        task.add_done_callback(self._ended)
        return task

    def __contains__(self, name: str) -> bool:
        return name in self._named

    def __len__(self) -> int:
        return len(self._tasks)

    def cancel(self, name: str) -> None:
        """End a task, and do not wait for it; one that is not there is fine."""
        task = self._named.pop(name, None)
        if task is not None:
            task.cancel()

    async def stop(self) -> None:
        """End all, and wait until they have ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if self._named.get(task.get_name()) is task:
            del self._named[task.get_name()]
        if not task.cancelled() and (bug := task.exception()) is not None and not self._is_reported(bug):
            _log.error("a bug: %s has ended: %s", task.get_name(), bug, exc_info=bug)

    def _is_reported(self, bug: BaseException) -> bool:
        return isinstance(bug, self._reported_elsewhere)
