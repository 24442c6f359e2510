"""A peer's part in rules across super-peers: it joins with all that it has, does what it is asked for, and reports.

The repository works on a thread of its own, one thing after the other. What comes of a thing is said once it is on the
disk. What was told and not received is told again: when a session begins, and now and then.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, takewhile
from typing import TypeVar

from msgspec import Struct

from triplewire.client.peer.home_repository import HomeRepository
from triplewire.client.peer.inbox import Inbox
from triplewire.client.peer.own_updates import OwnTransaction, execute
from triplewire.errors import LimitExceeded, MessageRefused, StoreError
from triplewire.federation.sites import session
from triplewire.federation.sites.requests import FromPeer, Told
from triplewire.federation.sites.session import Joined, NotJoined
from triplewire.languages.rdftl.syntax import Update

_log = logging.getLogger(__name__)

_RETRY_SECONDS = 5.0
_WINDOW = 64
T = TypeVar("T")


class _State(Struct, frozen=True):
    """What to say, and how it stands, after something was done on the thread."""

    to_say: list[bytes]
    has_joined: bool
    next_serial: int


class PeerRules:
    """Made on an event loop. `tell` sends a body to the super-peer, `failed` is called if the disk fails."""

    def __init__(
        self,
        repository: HomeRepository,
        inbox: Inbox,
        tell: Callable[[bytes], None],
        failed: Callable[[OSError | StoreError], None],
    ) -> None:
        self._repository = repository
        self._inbox = inbox
        self._tell = tell
        self._failed = failed
        self._thread = ThreadPoolExecutor(1, "triplewire-repository")
        self._next_try = float("inf")
        self._super_peer = ""
        self._is_looking = False
        self._moved = asyncio.Event()
        self._next_serial = repository.site.stream.next_serial
        self.is_joined = False
        self.refusal: NotJoined | None = None
        # What follows belongs to the thread.
        self._has_joined = False
        self._told_upto = 0
        self._first_unreceived = 0
        self._to_say: list[bytes] = []

    async def close(self) -> None:
        """End what is under way, and close the repository."""
        await asyncio.to_thread(self._thread.shutdown)
        self._repository.close()

    # Calls

    async def change(self, updates: Sequence[Update], *, author: str = "", name: str = "") -> Told:
        """Change the repository as one transaction, and report it. Raises what is wrong with it."""
        return await self._run(lambda: self._repository.change(updates, author=author, name=name))

    async def update(self, text: str) -> tuple[OwnTransaction, ...]:
        """Do the transactions of an RDFTL text, each for itself, and report them. Raises `SyntaxProblem`."""
        return await self._run(lambda: execute(self._repository, text))

    def has_received(self, serial: int) -> bool:
        """Whether the super-peer has what was told up to a serial."""
        return serial < self._next_serial

    async def received(self, serial: int) -> None:
        """Wait until the super-peer has what was told up to a serial, or has refused the peer."""
        while not self.has_received(serial) and self.refusal is None:
            self._moved.clear()
            await self._moved.wait()

    # From the session

    def session_begun(self, now: float, super_peer: str) -> None:
        """The session with an access point has begun: join, with all that there is."""
        self._super_peer = super_peer
        self._join(now)

    def take(self, body: bytes) -> None:
        """The super-peer has said something."""
        self._run(lambda: self._take(body))

    def not_taken(self, wanted: str, found: str) -> None:
        """The access point did not take what was said. It is said again, in time."""
        _log.warning("the access point did not take what was said about rules: wanted %s, found %s", wanted, found)

    def look_into_inbox(self) -> None:
        """Do what others ask for."""
        if not self._is_looking and (waiting := self._inbox.waiting()):
            self._is_looking = True
            self._run(lambda: self._do_inbox(waiting)).add_done_callback(self._looked)

    def tick(self, now: float) -> None:
        """Say again what has waited for too long."""
        if now >= self._next_try:
            self._next_try = now + _RETRY_SECONDS
            self._run(self._repeat)

    def _join(self, now: float) -> None:
        self._next_try = now + _RETRY_SECONDS
        self._run(self._begin)

    def _looked(self, _: asyncio.Future[None]) -> None:
        self._is_looking = False

    # On the thread

    def _do_inbox(self, keys: Sequence[str]) -> None:
        for key in keys:
            self._inbox.execute(key, self._repository)

    def _begin(self) -> None:
        self._repository.at(self._super_peer)
        self._has_joined, self._told_upto = False, 0
        self._ask_to_join()

    def _ask_to_join(self) -> None:
        site = self._repository.site
        self._to_say.append(session.join(site.view, site.stream.next_serial))

    def _take(self, body: bytes) -> None:
        try:
            found = session.read_at_peer(body)
        except MessageRefused as problem:
            _log.warning("something that the super-peer has said was dropped: %s", problem)
            return
        match found:
            case Joined():
                self._has_joined, self.refusal = True, None
            case NotJoined():
                self._has_joined, self.refusal = False, found
            case _:
                self._answer(self._repository.receive(found))

    def _answer(self, answer: FromPeer | None) -> None:
        """What is told for the first time has its turn; all else is said at once."""
        if answer is not None and not (isinstance(answer, Told) and answer.serial > self._told_upto):
            self._to_say.append(session.said_by_peer(answer))

    def _repeat(self) -> None:
        if not self._has_joined:
            self._ask_to_join()
            return
        first = self._repository.site.stream.next_serial
        if first == self._first_unreceived:
            self._told_upto = 0
        self._first_unreceived = first

    def _tell_next(self) -> None:
        """What was not told in this session, as far as the window goes."""
        stream = self._repository.site.stream
        if self._has_joined:
            last = stream.next_serial + _WINDOW
            for told in takewhile(lambda told: told.serial < last, islice(stream.to_repeat, _WINDOW)):
                if told.serial > self._told_upto:
                    self._to_say.append(session.said_by_peer(told))
                    self._told_upto = told.serial

    def _job(self, work: Callable[[], T]) -> tuple[T, _State]:
        done = work()
        self._tell_next()
        said, self._to_say = self._to_say, []
        return done, _State(said, self._has_joined, self._repository.site.stream.next_serial)

    # Between the loop and the thread

    def _run(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Do something on the thread, then say what came of it. Failures of the disk end all."""
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()

        def done(job: asyncio.Future[tuple[T, _State]]) -> None:
            problem = job.exception()
            if problem is None:
                value, state = job.result()
                self._come_to(state)
                if not result.done():
                    result.set_result(value)
                return
            if isinstance(problem, OSError | StoreError):
                self._failed(problem)
            if not result.done():
                result.set_exception(problem)
                # Whoever waits gets it; nobody has to.
                result.exception()

        loop.run_in_executor(self._thread, self._job, work).add_done_callback(done)
        return result

    def _come_to(self, state: _State) -> None:
        self.is_joined, self._next_serial = state.has_joined, state.next_serial
        for body in state.to_say:
            try:
                self._tell(body)
            except LimitExceeded as problem:
                self.refusal = NotJoined(problem.wanted or "", problem.found or "")
                _log.error("the super-peer cannot be told: %s", problem)
        self._moved.set()
