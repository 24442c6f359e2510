"""The publish queue: requests to publish that come while a commit is under way wait together for the next one.

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
from triplewire.node.broker.publish_step import PublishResult, Submission
from triplewire.node.store import Store
from triplewire.store.disk import Connection
from triplewire.wire.answers import Receipt

Request = tuple[Submission, "asyncio.Future[tuple[Receipt, ...]]"]
Step = Callable[[Connection, list[Submission]], PublishResult]

_MOST_EVENTS = 2_000


class PublishQueue:
    """Hands requests to the writer, many at a time. `accept` is the step, `then` is called after its commit."""

    def __init__(self, store: Store, accept: Step, then: Callable[[PublishResult], None]) -> None:
        self._store = store
        self._accept = accept
        self._then = then
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Request] = deque()
        self._is_submitted = False

    async def publish(self, submission: Submission) -> tuple[Receipt, ...]:
        """The receipts, when the events are on the disk."""
        done: asyncio.Future[tuple[Receipt, ...]] = self._loop.create_future()
        self._waiting.append((submission, done))
        if not self._is_submitted:
            self._submit()
        return await done

    def _submit(self) -> None:
        self._is_submitted = True
        taken: list[Request] = []

        def work(tx: Connection) -> PublishResult:
            # First the flag, then the queue: whoever still saw the flag is in the queue already.
            self._is_submitted = False
            taken.extend(self._take())
            return self._accept(tx, [submission for submission, _ in taken])

        self._store.submit(work, self._then).add_done_callback(lambda future: self._report(taken, future))

    def _take(self) -> list[Request]:
        taken: list[Request] = []
        events = 0
        while self._waiting and events < _MOST_EVENTS:
            taken.append(self._waiting.popleft())
            events += len(taken[-1][0].events)
        return taken

    def _report(self, taken: list[Request], future: Future[PublishResult]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._resolve, taken, future)

    def _resolve(self, taken: list[Request], future: Future[PublishResult]) -> None:
        problem = future.exception()
        if problem is not None:
            self._fail(taken, problem)
        else:
            for (_, done), outcome in zip(taken, future.result().outcomes, strict=True):
                _set(done, outcome)
        if self._waiting and not self._is_submitted:
            self._submit()

    def _fail(self, taken: list[Request], problem: BaseException) -> None:
        if not taken:
            # The disk failed before the step began, and will not get better: nobody may wait for it.
            self._is_submitted = False
            taken = list(self._waiting)
            self._waiting.clear()
        if isinstance(problem, StoreError) or len(taken) == 1:
            for _, done in taken:
                _set(done, problem)
            return
        for request in taken:
            self._retry_alone(request)

    def _retry_alone(self, request: Request) -> None:
        future = self._store.submit(lambda tx: self._accept(tx, [request[0]]), self._then)
        future.add_done_callback(lambda done: self._report([request], done))


def _set(done: asyncio.Future[Any], outcome: Any) -> None:
    if done.done():
        return
    if isinstance(outcome, BaseException):
        done.set_exception(outcome)
    else:
        done.set_result(outcome)
