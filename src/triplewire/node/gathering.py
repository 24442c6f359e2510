"""Gathering: requests to publish that come while a commit is under way wait together for the next one.

Error handling: what one request is refused for is its own. If the step itself fails, each of its requests is tried
alone, so that a request that cannot be handled does not take its neighbours along.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from triplewire.errors import StoreError
from triplewire.node.publishing import Accepted, Receipt, Submission
from triplewire.node.store import Store
from triplewire.store.disk import Connection

Entry = tuple[Submission, "asyncio.Future[tuple[Receipt, ...]]"]
Step = Callable[[Connection, list[Submission]], Accepted]

_MOST_EVENTS = 2_000


class Gathering:
    """Hands requests to the writer, many at a time. `accept` is the step, `then` is told after its commit."""

    def __init__(self, store: Store, accept: Step, then: Callable[[Accepted], None]) -> None:
        self._store = store
        self._accept = accept
        self._then = then
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Entry] = deque()
        self._is_called = False

    async def publish(self, submission: Submission) -> tuple[Receipt, ...]:
        """The receipts, when the events are on the disk."""
        done: asyncio.Future[tuple[Receipt, ...]] = self._loop.create_future()
        self._waiting.append((submission, done))
        if not self._is_called:
            self._call()
        return await done

    def _call(self) -> None:
        self._is_called = True
        taken: list[Entry] = []

        def work(tx: Connection) -> Accepted:
            # First the flag, then the queue: whoever still saw the flag is in the queue already.
            self._is_called = False
            taken.extend(self._take())
            return self._accept(tx, [submission for submission, _ in taken])

        self._store.submit(work, self._then).add_done_callback(lambda future: self._tell(taken, future))

    def _take(self) -> list[Entry]:
        taken: list[Entry] = []
        events = 0
        while self._waiting and events < _MOST_EVENTS:
            taken.append(self._waiting.popleft())
            events += len(taken[-1][0].events)
        return taken

    def _tell(self, taken: list[Entry], future: Future[Accepted]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._told, taken, future)

    def _told(self, taken: list[Entry], future: Future[Accepted]) -> None:
        problem = future.exception()
        if problem is not None:
            self._failed(taken, problem)
        else:
            for (_, done), outcome in zip(taken, future.result().outcomes, strict=True):
                _resolve(done, outcome)
        if self._waiting and not self._is_called:
            self._call()

    def _failed(self, taken: list[Entry], problem: BaseException) -> None:
        if not taken:
            # The disk failed before the step began, and will not get better: nobody may wait for it.
            self._is_called = False
            taken = list(self._waiting)
            self._waiting.clear()
        if isinstance(problem, StoreError) or len(taken) == 1:
            for _, done in taken:
                _resolve(done, problem)
            return
        for entry in taken:
            self._try_alone(entry)

    def _try_alone(self, entry: Entry) -> None:
        future = self._store.submit(lambda tx: self._accept(tx, [entry[0]]), self._then)
        future.add_done_callback(lambda done: self._tell([entry], done))


def _resolve(done: asyncio.Future[Any], outcome: Any) -> None:
    if done.done():
        return
    if isinstance(outcome, BaseException):
        done.set_exception(outcome)
    else:
        done.set_result(outcome)
