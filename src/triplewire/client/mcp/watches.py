"""Tells of resources that have something new, for as long as somebody wants to know.

A watch begins after what was acknowledged, so whoever comes back is told at once of what waits. It goes on over nodes
that are away. Many matches that come together are told once: a reader finds all of them.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from triplewire.client.asynchronous import AsyncClient
from triplewire.client.follower import BACKOFF
from triplewire.client.mcp.resources import MOST, name_of
from triplewire.errors import NodeRefused, NodeUnreachable

_log = logging.getLogger(__name__)
_WAIT_SECONDS = 20.0
_MOST_WATCHES = 1_000

Tell = Callable[[str], Awaitable[None]]


class Watches:
    """The watches of one connection, by whoever asked for them and what they watch."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._tasks: dict[tuple[object, str], asyncio.Task[None]] = {}

    def start(self, owner: object, uri: str, tell: Tell) -> None:
        """Begin to watch a resource. Doing it again changes nothing."""
        name = name_of(uri)
        if (owner, uri) not in self._tasks and len(self._tasks) < _MOST_WATCHES:
            self._tasks[owner, uri] = asyncio.create_task(
                self._logged(uri, watch(self._client, name, lambda: tell(uri)))
            )

    def stop(self, owner: object, uri: str | None = None) -> None:
        """End a watch, or all watches of an owner."""
        for key in [key for key in self._tasks if key[0] is owner and uri in (None, key[1])]:
            self._tasks.pop(key).cancel()

    async def close(self) -> None:
        """End all of them."""
        tasks = list(self._tasks.values())
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _logged(self, uri: str, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except NodeRefused as refusal:
            _log.warning("%s is not watched any more: %s", uri, refusal)


async def watch(client: AsyncClient, name: str, tell: Callable[[], Awaitable[None]]) -> None:
    """Tell whenever a subscription has found something. Ends by `NodeRefused`, as when there is none of that name."""
    after: int | None = None
    failures = 0
    while True:
        try:
            page = await client.read_subscription(name, after, MOST, wait=_WAIT_SECONDS)
        except NodeUnreachable:
            failures += 1
            await asyncio.sleep(BACKOFF.delay(failures, random.random()))
            continue
        failures = 0
        reached = [page.gap or 0, *(one.position for one in page.notifications)]
        if page.notifications or page.gap is not None:
            after = max(reached)
            await tell()
