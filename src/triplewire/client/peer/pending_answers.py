"""Answers that calls wait for: with a timeout, and not after the disk has failed."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from triplewire.errors import NodeUnreachable, PeerRefused, StoreError
from triplewire.network.sessions.peer_messages import AccessPointMessage, RequestRefused

T = TypeVar("T")
_LOOK_SECONDS = 0.02


class PendingAnswers:
    """Made on an event loop. `unreachable` makes the error of a timeout."""

    def __init__(self, seconds: float, unreachable: Callable[[], NodeUnreachable]) -> None:
        self._seconds = seconds
        self._unreachable = unreachable
        self._open: dict[str, asyncio.Future[AccessPointMessage]] = {}
        self._failed: asyncio.Future[OSError | StoreError] = asyncio.Future()

    @property
    def has_failed(self) -> bool:
        """Whether the disk has failed."""
        return self._failed.done()

    def disk_failed(self, problem: OSError | StoreError) -> None:
        """The disk has failed: every wait raises its error."""
        if not self._failed.done():
            self._failed.set_result(problem)

    def answer(self, token: str, message: AccessPointMessage) -> None:
        """An answer has come."""
        future = self._open.get(token)
        if future is not None and not future.done():
            future.set_result(message)

    async def request(self, send: Callable[[str], None]) -> AccessPointMessage:
        """Send a request with a new token, and wait for the answer; a refusal is raised."""
        token = secrets.token_urlsafe(16)
        future: asyncio.Future[AccessPointMessage] = asyncio.get_running_loop().create_future()
        self._open[token] = future
        try:
            send(token)
            async with asyncio.timeout(self._seconds):
                message = await self.first_of(future)
        except TimeoutError:
            raise self._unreachable() from None
        finally:
            del self._open[token]
        if isinstance(message, RequestRefused):
            raise PeerRefused(message.wanted, message.found, again=message.again)
        return message

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until a condition holds."""
        try:
            async with asyncio.timeout(self._seconds):
                while not is_so():
                    await self.first_of(asyncio.sleep(_LOOK_SECONDS))
        except TimeoutError:
            raise self._unreachable() from None

    async def in_time(self, awaited: Awaitable[T]) -> T:
        """The result of an awaitable, or the error of a timeout."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self.first_of(awaited)
        except TimeoutError:
            raise self._unreachable() from None

    async def first_of(self, awaited: Awaitable[T]) -> T:
        """The result of an awaitable, unless the disk fails first."""
        waiting: asyncio.Future[T] = asyncio.ensure_future(awaited)
        both: set[asyncio.Future[Any]] = {waiting, self._failed}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if self._failed.done():
                raise self._failed.result()
            return waiting.result()
        finally:
            waiting.cancel()
