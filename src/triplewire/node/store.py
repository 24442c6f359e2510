"""The one way to the store, from the event loop and from the writer's own thread.

    await store.read(work)             on a snapshot of what is committed, on another thread
    await store.write(work)            in a transaction that others may share; done when it is on the disk
    await store.write_alone(work)      in a transaction of its own
    store.submit, store.submit_alone   the same as the two above, for callers that do not wait, from any thread
    store.read_blocking(work)          the same as the first, for a thread of its own

`work` is a function of the connection. `then` is called with its result on the writer's thread, after the commit and
before any later work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from triplewire.errors import StoreError
from triplewire.store.database import Database
from triplewire.store.disk import Connection
from triplewire.store.writer import WriterStats

T = TypeVar("T")


def _nothing(_: object) -> None:
    pass


class Store:
    """A database, for asynchronous callers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run something on a snapshot of the store, on another thread."""
        return await asyncio.to_thread(self.read_blocking, work)

    def read_blocking(self, work: Callable[[Connection], T]) -> T:
        """The same on the caller's thread, which must not be the event loop's."""
        return self._database.read(work)

    async def write(self, work: Callable[[Connection], T], then: Callable[[T], None] = _nothing) -> T:
        """Run a step in a transaction that others may share."""
        return await asyncio.wrap_future(self.submit(work, then))

    async def write_alone(self, work: Callable[[Connection], T], then: Callable[[T], None] = _nothing) -> T:
        """Run a step in a transaction of its own: for one whose `then` changes what later steps depend on."""
        return await asyncio.wrap_future(self.submit_alone(work, then))

    def submit(self, work: Callable[[Connection], T], then: Callable[[T], None] = _nothing) -> Future[T]:
        """Hand a step over, for a transaction that others may share."""
        return self._database.writer.submit(work, then)

    def submit_alone(self, work: Callable[[Connection], T], then: Callable[[T], None] = _nothing) -> Future[T]:
        """Hand a step over, for a transaction of its own."""
        return self._database.writer.submit_alone(work, then)

    # How it is

    @property
    def folder(self) -> Path:
        return self._database.folder

    @property
    def failure(self) -> StoreError | None:
        """Why nothing is written any more, if so."""
        return self._database.writer.failure

    def on_failure(self, call: Callable[[StoreError], None]) -> None:
        """Have something called when writing stops, on the thread where that happens."""
        self._database.writer.on_failure = call

    @property
    def queue_length(self) -> int:
        """How many steps wait for a commit."""
        return self._database.writer.waiting

    @property
    def stats(self) -> WriterStats:
        return self._database.writer.stats

    # The end

    def finish(self) -> None:
        """Do what was submitted, and take nothing more."""
        self._database.writer.close()

    def close(self) -> None:
        """Let go of the folder."""
        self._database.close()
