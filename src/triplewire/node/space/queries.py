"""SPARQL over the whole space: what a query touches is fetched from its owners, then evaluated in a process of its own.

A query that runs away, in what it fetches or in its evaluation, ends with an error of whoever asked, and costs nobody
else anything.
"""

from __future__ import annotations

import asyncio
import pickle
import sys
from collections.abc import Callable
from typing import Any

from msgspec import Struct, field

from triplewire.errors import BudgetExceeded, InputError
from triplewire.network.can.geometry.space import Point, Zone
from triplewire.network.queries import evaluation
from triplewire.network.queries.space_query import DEFAULT_LIMITS, Fetch, SpaceQuery
from triplewire.node.repository.following import Allowed, Result
from triplewire.node.space import worker_messages as said


class _Pages(Struct):
    """What has come of a fetch."""

    done: asyncio.Future[None]
    request: said.Fetch
    quads: list[Point] = field(default_factory=list)
    zones: set[Zone] = field(default_factory=set)


class SpaceQueries:
    """Queries of one node. `say` hands requests to the worker."""

    def __init__(self, say: Callable[[said.Request], None], allowed: Allowed) -> None:
        self._say = say
        self._allowed = allowed
        self._under_way: dict[int, _Pages] = {}
        self._tickets = 0

    def again(self) -> list[said.Fetch]:
        """What is under way, for a worker that was started again: it is fetched from the beginning."""
        for pages in self._under_way.values():
            pages.quads.clear()
        return [pages.request for pages in self._under_way.values()]

    def fetched(self, answer: said.Fetched) -> None:
        """A page has come."""
        pages = self._under_way.get(answer.ticket)
        if pages is None or pages.done.done():
            return
        pages.quads.extend(answer.quads)
        pages.zones.update(answer.zones)
        if answer.is_last or len(pages.quads) > DEFAULT_LIMITS.quads:
            pages.done.set_result(None)

    async def query(self, text: str, media_type: str) -> Result:
        """Evaluate a query over everything that is stored in the space."""
        seconds = self._allowed.seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._answered(text, media_type)
        except TimeoutError:
            raise BudgetExceeded(f"the query did not finish within {seconds:g} s") from None

    async def _answered(self, text: str, media_type: str) -> Result:
        query = await asyncio.to_thread(SpaceQuery, text)
        while isinstance(wanted := query.next(), Fetch):
            pages = await self._fetch(wanted)
            await asyncio.to_thread(query.supply, pages.quads, True, len(pages.zones))
        message = (list(query.quads), query.text, media_type, self._allowed.result)
        kind, *content = await _evaluated(message, self._allowed.memory)
        if kind == "refused":
            raise InputError(content[0])
        return Result(*content)

    async def _fetch(self, wanted: Fetch) -> _Pages:
        self._tickets += 1
        ticket = self._tickets
        request = said.Fetch(ticket, wanted.boxes)
        self._under_way[ticket] = pages = _Pages(asyncio.get_running_loop().create_future(), request)
        self._say(request)
        try:
            await pages.done
        finally:
            del self._under_way[ticket]
            self._say(said.CancelFetch(ticket))
        return pages


async def _evaluated(message: Any, memory: int) -> Any:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        evaluation.__file__,
        str(memory),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        answer, _ = await process.communicate(await asyncio.to_thread(pickle.dumps, message))
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if not answer:
        raise BudgetExceeded("the evaluation needed too much memory, or crashed")
    return pickle.loads(answer)
