"""The living graph of a node as a peer of its super-peer's group, for the event loop.

What the super-peer asks for is done on the writer's thread, between the transactions of everybody else, and what the
graph does is told once it is on the disk. Both go to `said` in the order of commits; what was not received, once more.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from triplewire.errors import StoreError, TriplewireError
from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.sites.requests import (
    Forget,
    FromPeer,
    FromSuperPeer,
    Match,
    Matched,
    Numbered,
    Received,
    Told,
)
from triplewire.node.broker.broker import Broker
from triplewire.node.broker.publish_step import PublishResult
from triplewire.node.federation import site_stream
from triplewire.node.federation.site_recorder import SiteRecorder
from triplewire.node.federation.site_requests import SiteRequests
from triplewire.node.living.graph import LivingGraph
from triplewire.node.living.reporting import NoReporter
from triplewire.node.transport.rate_limited_log import RateLimitedLog
from triplewire.store.disk import Connection

T = TypeVar("T")
_log = logging.getLogger(__name__)

# So many rows that the super-peer needs no more are dropped together.
_TRIMMED = 256

Joined = Callable[[PeerView, int], None]
Said = Callable[[FromPeer], None]


class LivingSite:
    """`begin` it on the event loop, and `stop` it. `joined` gets a view each time that there is another schema."""

    def __init__(self, name: str, broker: Broker, joined: Joined, said: Said) -> None:
        self.name = name
        self._broker = broker
        self._living = broker.living.store
        self._joined = joined
        self._say = said
        self._recorder = SiteRecorder(self._recorded)
        self._requests = SiteRequests(name, broker.state, broker.events, self._recorder)
        self._repeated_at = 0
        self._received = self._forgotten = self._trimmed = 0
        self._is_open = False
        self._limited_log = RateLimitedLog(_log)

    async def begin(self) -> None:
        """Follow the living graph from now on. What was told before and not received is told again."""
        self._is_open = True
        await asyncio.to_thread(self._living.report, self._recorder)

    async def stop(self) -> None:
        """Follow it no longer: what changes from now on, nobody hears of."""
        self._is_open = False
        if self._broker.store.failure is None:
            await asyncio.to_thread(self._living.report, NoReporter())

    async def view(self) -> tuple[PeerView, int]:
        """All that the super-peer has to know, as it is on the disk, and the first serial that it may not have."""
        return await asyncio.wrap_future(self._living.submit(lambda _, living: self._recorder.view(living)))

    async def repeat(self) -> None:
        """Tell again what was not received, if nothing of it was since the last time."""
        first, waiting = await asyncio.wrap_future(self._living.submit(lambda _, __: self._unreceived()))
        if first == self._repeated_at:
            for told in waiting:
                self._tell(told)
        self._repeated_at = first

    @property
    def told(self) -> int:
        """How many things the living graph has told so far."""
        return self._recorder.stream.serial

    @property
    def lag(self) -> int:
        """How many of the things that were told the super-peer does not have yet."""
        return max(0, self._recorder.stream.serial - self._received)

    # What the super-peer says

    def receive(self, asked: FromSuperPeer) -> None:
        """Do what the super-peer asks; on the event loop."""
        match asked:
            case Numbered():
                self._answer(asked)
            case Match():
                self._watch(self._living.submit(lambda _, living: self._requests.match(living, asked), self._matched))
            case Received(upto):
                self._received = max(self._received, upto)
                self._trim()
            case Forget(upto):
                self._forgotten = max(self._forgotten, upto)
                self._trim()

    def _answer(self, asked: Numbered) -> None:
        def do(tx: Connection, living: LivingGraph) -> PublishResult | None:
            return self._requests.do(tx, living, asked)

        def done(accepted: PublishResult | None) -> None:
            if accepted is not None:
                self._broker.events.committed(accepted)
            elif (answered := self._recorder.stream.answered) is not None and answers(answered, asked):
                self._soon(lambda: self._tell(answered))

        self._watch(self._living.submit(do, done))

    def _matched(self, answer: Matched) -> None:
        self._soon(lambda: self._tell(answer))

    def _trim(self) -> None:
        received, forgotten = self._received, self._forgotten
        if received - self._trimmed < _TRIMMED and forgotten - self._trimmed < _TRIMMED:
            return

        def trim(tx: Connection, _: LivingGraph) -> None:
            stream = self._recorder.stream
            stream.take(Received(received))
            stream.take(Forget(forgotten))
            site_stream.trim(tx, received, forgotten)

        self._trimmed = min(received, forgotten) if forgotten else received
        self._watch(self._living.submit(trim))

    # What the living graph says, on the writer's thread

    def _recorded(self, told: list[Told], has_another_schema: bool) -> None:
        if has_another_schema:
            view, serial = self._recorder.view(self._living.living)
            self._soon(lambda: self._joined(view, serial))
        for each in told:
            self._soon(lambda one=each: self._tell(one))  # type: ignore[misc]

    def _unreceived(self) -> tuple[int, list[Told]]:
        waiting = [told for told in self._recorder.stream.to_repeat if told.serial > self._received]
        return (waiting[0].serial if waiting else 0), waiting

    # Private

    def _tell(self, message: FromPeer) -> None:
        if self._is_open:
            self._say(message)

    def _soon(self, action: Callable[[], object]) -> None:
        self._broker.state.soon(action)

    def _watch(self, future: Future[T]) -> None:
        """What fails is asked for again by the super-peer; a bug is nobody's answer."""
        future.add_done_callback(self._failed)

    def _failed(self, future: Future[T]) -> None:
        problem = future.exception()
        if problem is None or isinstance(problem, StoreError):
            return
        is_bug = not isinstance(problem, TriplewireError)
        self._limited_log.error(
            "request",
            "a request to the living graph was not answered: %s",
            problem,
            exc_info=problem if is_bug else None,
        )


def answers(told: Told, asked: Numbered) -> bool:
    """Whether this is the answer to a request."""
    return getattr(told.what, "number", None) == asked.number
