"""Waiting: for an answer, or until something is so; but not for ever, and not after the disk has failed."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from triplewire.errors import NodeUnreachable, PeerRefused
from triplewire.network.sessions.peer_messages import Refused, Told

T = TypeVar("T")
_LOOK_SECONDS = 0.02


class Waiting:
    """Made on an event loop. `unreachable` says why nothing came."""

    def __init__(self, seconds: float, unreachable: Callable[[], NodeUnreachable]) -> None:
        self._seconds = seconds
        self._unreachable = unreachable
        self._open: dict[str, asyncio.Future[Told]] = {}
        self._failed: asyncio.Future[OSError] = asyncio.Future()

    @property
    def is_over(self) -> bool:
        """Whether the disk has failed."""
        return self._failed.done()

    def fail(self, problem: OSError) -> None:
        """Nothing more can be saved."""
        if not self._failed.done():
            self._failed.set_result(problem)

    def answer(self, token: str, word: Told) -> None:
        """An answer has come."""
        future = self._open.get(token)
        if future is not None and not future.done():
            future.set_result(word)

    async def asked(self, ask: Callable[[str], None]) -> Told:
        """Ask under a new token, and wait for the answer; a refusal is raised."""
        token = secrets.token_urlsafe(16)
        future: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
        self._open[token] = future
        try:
            ask(token)
            async with asyncio.timeout(self._seconds):
                word = await self.soon(future)
        except TimeoutError:
            raise self._unreachable() from None
        finally:
            del self._open[token]
        if isinstance(word, Refused):
            raise PeerRefused(word.wanted, word.found, again=word.again)
        return word

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so."""
        try:
            async with asyncio.timeout(self._seconds):
                while not is_so():
                    await self.soon(asyncio.sleep(_LOOK_SECONDS))
        except TimeoutError:
            raise self._unreachable() from None

    async def soon(self, awaited: Awaitable[T]) -> T:
        """What is waited for, unless the disk fails first."""
        waiting: asyncio.Future[T] = asyncio.ensure_future(awaited)
        both: set[asyncio.Future[Any]] = {waiting, self._failed}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if self._failed.done():
                raise self._failed.result()
            return waiting.result()
        finally:
            waiting.cancel()
