"""The one writer: a thread through which every change goes, many to a commit.

Group commit: while one commit waits for the disk, requests gather; the next commit takes all of them, so that many
publishers share one fsync. A piece of work is a function of the connection. It runs inside a savepoint: if it raises,
its own changes are undone and the others' stay. Its future is resolved after the commit, never before (row F1).

Error handling: a full disk fails the requests of that commit and nothing else (row F3). Any other error of the
disk ends all writing for good: after a failed fsync the kernel may have dropped what it could not write, and a
second try would claim that it is there (row F2).
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from msgspec import Struct

from triplewire.errors import DiskFull, StoreError, StoreFailed
from triplewire.store.checkpoints import Checkpoints
from triplewire.store.clock import Clock
from triplewire.store.disk import Connection
from triplewire.store.histograms import Histogram
from triplewire.store.sqlite_errors import meaning

T = TypeVar("T")
Work = Callable[[Connection], T]

_MOST = 256


class _Submitted(Struct, eq=False):
    work: Work[Any]
    then: Callable[[Any], None]
    future: Future[Any]
    is_alone: bool
    result: Any = None


class WriterStats:
    """What the writer has done so far. `seconds` is how long each COMMIT took, which is one fsync."""

    def __init__(self) -> None:
        self.works = 0
        self.seconds = Histogram()

    @property
    def commits(self) -> int:
        return self.seconds.count


def _nothing(_: Any) -> None:
    pass


class Writer:
    """Runs work in transactions, on its own thread. `close` finishes what was submitted."""

    def __init__(self, connection: Connection, clock: Clock, checkpoints: Checkpoints) -> None:
        self._connection = connection
        self._checkpoints = checkpoints
        checkpoints.failed = self._stop
        self._clock = clock
        self._queue: queue.SimpleQueue[_Submitted | None] = queue.SimpleQueue()
        self._held_back: _Submitted | None = None
        self.failure: StoreError | None = None
        self.on_failure: Callable[[StoreError], None] = _nothing
        self.stats = WriterStats()
        self._thread = threading.Thread(target=self._run, name="triplewire-writer", daemon=True)
        self._thread.start()

    def submit(self, work: Work[T], then: Callable[[T], None] = _nothing) -> Future[T]:
        """Run `work` in the next commit, together with whatever else waits.

        `then` is called with its result on the writer's thread, after the commit and before any later work.
        """
        return self._put(work, then, is_alone=False)

    def submit_alone(self, work: Work[T], then: Callable[[T], None] = _nothing) -> Future[T]:
        """The same in a commit of its own: for work whose `then` changes what later work depends on."""
        return self._put(work, then, is_alone=True)

    def close(self) -> None:
        """Finish what waits, and end the thread."""
        self._queue.put(None)
        self._thread.join()

    @property
    def waiting(self) -> int:
        """How many pieces of work are in the queue."""
        return self._queue.qsize()

    def _put(self, work: Work[T], then: Callable[[T], None], *, is_alone: bool) -> Future[T]:
        future: Future[T] = Future()
        # What was handed over is done, also when the caller that waits for it goes away and cancels.
        future.set_running_or_notify_cancel()
        self._queue.put(_Submitted(work, then, future, is_alone))
        return future

    def _run(self) -> None:
        while batch := self._take():
            if self.failure is not None:
                _fail(batch, self.failure)
            else:
                self._commit(batch)

    def _take(self) -> list[_Submitted]:
        """The next batch: everything that waits, up to the first work that wants to be alone. Empty at the end."""
        first = self._held_back or self._queue.get()
        self._held_back = None
        if first is None:
            return []
        batch = [first]
        while not first.is_alone and len(batch) < _MOST:
            with suppress(queue.Empty):
                item = self._queue.get_nowait()
                if item is None:
                    self._queue.put(None)
                    break
                if item.is_alone:
                    self._held_back = item
                    break
                batch.append(item)
                continue
            break
        return batch

    def _commit(self, batch: list[_Submitted]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            done = [item for item in batch if self._worked(item)]
            started = self._clock.monotonic()
            self._connection.execute("COMMIT")
            self._note(self._clock.monotonic() - started, len(done))
        except sqlite3.Error as error:
            self._undo(batch, error)
            return
        self._follow_up(done)
        for item in done:
            item.future.set_result(item.result)
        self._checkpoints.committed(self._connection)

    def _follow_up(self, done: list[_Submitted]) -> None:
        try:
            for item in done:
                item.then(item.result)
        except Exception as bug:  # noqa: BLE001  memory and disk may now differ: only a restart makes them agree
            self._stop(StoreFailed(f"a bug after a commit: {type(bug).__name__}: {bug}"))

    def _worked(self, item: _Submitted) -> bool:
        self._connection.execute("SAVEPOINT work")
        try:
            item.result = item.work(self._connection)
        except sqlite3.Error:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is belongs to the caller
            self._connection.execute("ROLLBACK TO work")
            self._connection.execute("RELEASE work")
            item.future.set_exception(error)
            return False
        self._connection.execute("RELEASE work")
        return True

    def _undo(self, batch: list[_Submitted], error: sqlite3.Error) -> None:
        problem = meaning(error)
        if not isinstance(problem, DiskFull):
            self._stop(problem)
        elif self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except sqlite3.Error as second:
                self._stop(meaning(second))
        _fail(batch, problem)

    def _stop(self, problem: StoreError) -> None:
        self.failure = StoreFailed(f"writing has stopped: {problem}")
        self.on_failure(self.failure)

    def _note(self, seconds: float, works: int) -> None:
        self.stats.works += works
        self.stats.seconds.note(seconds)


def _fail(batch: list[_Submitted], problem: StoreError) -> None:
    for item in batch:
        if not item.future.done():
            item.future.set_exception(problem)
