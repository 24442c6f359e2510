"""The inbox of a worker: what has come from other nodes and from its own since the last batch."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct, field

from triplewire.node.space.worker.messages import SpaceNodeMessage
from triplewire.node.space.worker_messages import Request
from triplewire.rdf.limits import MIB

_MOST_BYTES = 8 * MIB
_MOST_MESSAGES = 20_000
# A batch costs its commit, its receipts and its part of the replica, however small it is. So under load one begins no
# sooner than that after the last; one that comes after a pause begins at once.
_GATHER_SECONDS = 0.005


class Batch(Struct):
    """What one turn of the worker takes: messages with their verified senders, and requests, in their order."""

    messages: list[tuple[str, SpaceNodeMessage]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    bytes: int = 0

    @property
    def is_full(self) -> bool:
        return self.bytes > _MOST_BYTES or len(self.messages) > _MOST_MESSAGES


class Inbox:
    """Filled from the sockets and the pipe, emptied by the worker. `pause` and `resume` reading from other nodes."""

    def __init__(self, pause: Callable[[], None], resume: Callable[[], None]) -> None:
        self._pause = pause
        self._resume = resume
        self._batch = Batch()
        self._news = asyncio.Event()
        self._next = 0.0
        self.has_ended = False

    def received(self, sender: str, messages: tuple[SpaceNodeMessage, ...], size: int) -> None:
        """The messages of a frame."""
        self._batch.messages += [(sender, message) for message in messages]
        self._batch.bytes += size
        if self._batch.is_full:
            self._pause()
        self._news.set()

    def requested(self, requests: list[Request]) -> None:
        self._batch.requests += requests
        self._news.set()

    def end(self) -> None:
        """The node has ended, or closed the pipe."""
        self.has_ended = True
        self._news.set()

    async def take(self, seconds: float) -> Batch:
        """What has come; waits for something, but no longer than so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(seconds, 0)):
                await self._news.wait()
        # At least a turn for the sockets: what lies there already belongs to this batch.
        await asyncio.sleep(0 if self._batch.is_full else max(self._next - time.monotonic(), 0))
        self._next = time.monotonic() + _GATHER_SECONDS
        self._news.clear()
        batch, self._batch = self._batch, Batch()
        if batch.is_full:
            self._resume()
        return batch
