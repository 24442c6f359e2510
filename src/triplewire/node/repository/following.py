"""A store in a process of its own that follows what is kept, and answers SPARQL queries over it.

A query that runs away is ended from outside by killing that process, which costs nobody else anything: it starts again
and goes on from where it was. No text reaches Oxigraph that was not read by our own front end first, and what is sent
is printed from the syntax tree (rows A2 and A10).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from pathlib import Path
from typing import Any

from msgspec import Struct

from triplewire.errors import InputError, StoreError, StoreFailed
from triplewire.node.repository.process import RepositoryProcess
from triplewire.system.supervisor import Supervisor

MIB = 1 << 20
_log = logging.getLogger(__name__)
_BEHIND_SECONDS = 5.0
# What comes in such a time is taken over together: each time costs, however little it is.
_REST_SECONDS = 0.05


class Allowed(Struct, frozen=True):
    """What one query may use: seconds, bytes of memory, and bytes of result."""

    seconds: float = 10.0
    memory: int = 4096 * MIB
    result: int = 64 * MIB


class Result(Struct, frozen=True):
    """A query's result, in the syntax that its media type names. `is_empty` is said of graphs."""

    media_type: str
    content: bytes
    is_empty: bool = False


class FollowingStore:
    """Follows something. `start` and `stop` it on the event loop; a subclass says what is taken over next."""

    def __init__(self, kind: str, folder: Path, allowed: Allowed) -> None:
        self._kind = kind
        self._allowed = allowed
        self._process = RepositoryProcess(kind, folder, allowed.memory)
        self._news = asyncio.Event()
        # Set while somebody waits for it to come further.
        self._hurry = asyncio.Event()
        self._waiting = 0
        self._moved = asyncio.Condition()
        self._loop = asyncio.get_running_loop()
        self._tasks = Supervisor()
        self.trouble: str | None = None

    @property
    def position(self) -> int:
        """How far it has come."""
        return self._process.position

    async def start(self) -> None:
        """Begin to follow."""
        self._tasks.start(f"repository of {self._kind}", self._follow())

    async def stop(self) -> None:
        """End the process after what it is doing."""
        await self._tasks.stop()
        await self._process.end()

    async def ask(self, message: tuple[Any, ...], head: int) -> Result:
        """The answer to a question, over everything up to a position."""
        if self.trouble is not None:
            raise StoreFailed(self.trouble)
        await self._reach(head)
        try:
            kind, *content = await self._process.ask((*message, self._allowed.result), self._allowed.seconds)
        finally:
            self._news.set()  # if the process had to be killed, it is behind
        if kind == "refused":
            raise InputError(content[0])
        return Result(*content)

    def notice(self) -> None:
        """There is something new; from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._news.set)

    async def take_some(self) -> bool:
        """Take over what follows; whether there was something."""
        raise NotImplementedError

    async def _follow(self) -> None:
        try:
            while True:
                self._news.clear()
                if not await self.take_some():
                    await self._news.wait()
                    continue
                async with self._moved:
                    self._moved.notify_all()
                await self._rest()
        except (StoreError, OSError, TimeoutError) as problem:
            self.trouble = str(problem)
            _log.error("the repository of %s does not follow any more: %s", self._kind, problem)

    async def _rest(self) -> None:
        """Let more come, which is then taken over at once; unless somebody asks."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_REST_SECONDS):
                await self._hurry.wait()

    async def _reach(self, position: int) -> None:
        if self.position >= position:
            return
        self._waiting += 1
        self._hurry.set()
        try:
            await self._wait_for(position)
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._hurry.clear()

    async def _wait_for(self, position: int) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_BEHIND_SECONDS), self._moved:
                await self._moved.wait_for(lambda: self.position >= position)
