"""The host of a `RuleMachine`: takes inputs on the event loop, and lets outputs out once their inputs are on the disk.

An input is taken at once, in memory. Inputs that come while the disk is at work share the next commit. Outputs leave in
their order, each after its input's commit, so that nobody ever hears of what a crash would undo.

Error handling: on a full disk outputs are held, and the commit is tried again; meanwhile what others repeat anyway is
not taken, and clients are told. A store that has failed ends the host. A bug in the machine costs the input that it
happened in: the machine is read again from the disk.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from time import monotonic

from msgspec import Struct

from triplewire.errors import DiskFull, StoreError, StoreFailed, TriplewireError
from triplewire.federation.inputs import BodyReceived, FromPeerReceived, Input, Tick, encode_input
from triplewire.federation.machine import MachineSetup
from triplewire.federation.outputs import Output
from triplewire.node.federation.input_log import InputLog, RestoredMachine, restored
from triplewire.node.federation.rules_clock import RulesClock
from triplewire.node.store import Store
from triplewire.node.transport.rate_limited_log import RateLimitedLog
from triplewire.system.supervisor import Supervisor

_log = logging.getLogger(__name__)

TICK_SECONDS = 0.2
RETRY_SECONDS = 1.0
# What waits for a full disk, at most: whatever is repeated is not taken beyond that.
_MOST_WAITING = 64 << 20

Outputs = list[Output]
Answer = asyncio.Future[Outputs]


class _Taken(Struct):
    """An input that was taken, on its way to the disk."""

    data: bytes
    outputs: Outputs
    answer: Answer | None
    at: float


class RuleHost:
    """Open it on an event loop with `await RuleHost.open(…)`, `begin`, and `stop` it. `release` gets the outputs."""

    def __init__(self, store: Store, setup: MachineSetup, found: RestoredMachine) -> None:
        self.machine = found.machine
        self.log = InputLog(store, found)
        self.failure: StoreError | None = None
        self.is_full = False
        self.release: Callable[[Output], None] = lambda _: None
        # Inputs since the start, and how long the last of them took to be on the disk.
        self.taken = 0
        self.lag = 0.0
        # Called after each release: what the machine knows has moved.
        self.listeners: list[Callable[[], None]] = []
        self._store = store
        self._setup = setup
        self._clock = RulesClock(found.now)
        self._pending: list[_Taken] = []
        self._held: deque[tuple[Input, Answer | None]] | None = None
        self._wake = asyncio.Event()
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        self._tasks = Supervisor(reported_elsewhere=(StoreError,))
        self._limited_log = RateLimitedLog(_log)

    @classmethod
    async def open(cls, store: Store, setup: MachineSetup) -> RuleHost:
        """Restore the machine as the last process left it."""
        return cls(store, setup, await store.read(lambda tx: restored(tx, setup)))

    def begin(self) -> None:
        """Start to write and to tick."""
        self._tasks.start("rules' log", self._run())
        self._tasks.start("rules ticking", self._tick())

    async def stop(self) -> None:
        """Take nothing more; what was taken is written, unless the disk is full, and what comes of it leaves."""
        if self.failure is None and not self.is_full:
            await self.settled()
        await self._tasks.stop()
        self._fail(StoreFailed("the node stops"))

    @property
    def now(self) -> float:
        """The time of the rules."""
        return self._clock.now()

    async def settled(self) -> None:
        """Wait until all that was taken is on the disk, and what came of it has left."""
        await self._is_idle.wait()

    # Inputs

    def take(self, given: Input) -> None:
        """Take an input that nobody waits for."""
        self._take(given, None)

    async def ask(self, given: Input) -> Outputs:
        """Take a client's input; returns what comes of it when it is on the disk. Raises what the machine raises."""
        if self.failure is not None:
            raise self.failure
        if self.is_full:
            raise DiskFull("no space is left: rules across super-peers have to wait")
        answer: Answer = asyncio.get_running_loop().create_future()
        self._take(given, answer)
        return await answer

    def _take(self, given: Input, answer: Answer | None) -> None:
        if self.failure is not None or (self.is_full and self._is_repeated(given)):
            return
        if self._held is not None:
            self._held.append((given, answer))
            return
        try:
            data = encode_input(given)
            outputs = self.machine.take(given)
        except TriplewireError as problem:
            self._refuse(given, answer, problem)
            return
        except Exception as bug:  # noqa: BLE001  whatever it is, the machine on the disk is sound
            self._limited_log.error("bug", "a bug in the rules across super-peers: %s", bug, exc_info=bug)
            self._refuse(given, answer, TriplewireError(f"a bug: {type(bug).__name__}: {bug}"))
            self._hold()
            self._tasks.start("rules' recovery", self._recover())
            return
        self.taken += 1
        self._pending.append(_Taken(data, outputs, answer, monotonic()))
        self._is_idle.clear()
        self._wake.set()

    def _refuse(self, given: Input, answer: Answer | None, problem: TriplewireError) -> None:
        if answer is not None and not answer.done():
            answer.set_exception(problem)
        elif answer is None:
            self._limited_log.warning("refused", "%s was not taken: %s", type(given).__name__, problem)

    def _is_repeated(self, given: Input) -> bool:
        """Whether somebody says it again, so that it need not wait for a full disk."""
        waiting = sum(len(each.data) for each in self._pending)
        return isinstance(given, Tick | BodyReceived | FromPeerReceived) and waiting > _MOST_WAITING

    # The disk

    async def _run(self) -> None:
        while self.failure is None:
            await self._wake.wait()
            self._wake.clear()
            while self._pending and self.failure is None:
                await self._commit()
            if self.log.is_long and self._held is None and self.failure is None:
                await self._snapshot()
            if not self._pending:
                self._is_idle.set()

    async def _commit(self) -> None:
        """Write what was taken, and release what came of it."""
        batch = list(self._pending)
        try:
            await self.log.append([each.data for each in batch])
        except DiskFull as problem:
            self.is_full = True
            self._limited_log.warning("full", "rules across super-peers wait for the disk: %s", problem)
            await asyncio.sleep(RETRY_SECONDS)
            return
        except StoreError as problem:
            self._fail(problem)
            return
        self.is_full = False
        del self._pending[: len(batch)]
        self.lag = monotonic() - batch[0].at
        for each in batch:
            self._let_out(each)
        for listener in self.listeners:
            listener()

    def _let_out(self, taken: _Taken) -> None:
        for output in taken.outputs:
            try:
                self.release(output)
            except Exception as bug:  # noqa: BLE001  whatever it is, the others have to leave
                self._limited_log.error("release", "a bug: %s was not released: %s", output, bug, exc_info=bug)
        if taken.answer is not None and not taken.answer.done():
            taken.answer.set_result(taken.outputs)

    def _fail(self, problem: StoreError) -> None:
        self.failure = problem
        waiting = [each.answer for each in self._pending] + [answer for _, answer in self._held or ()]
        for answer in waiting:
            if answer is not None and not answer.done():
                answer.set_exception(problem)
        self._pending.clear()
        self._is_idle.set()

    # Snapshots, and recovery

    async def _snapshot(self) -> None:
        """Make a snapshot on another thread, while inputs wait."""
        self._hold()
        try:
            data = await asyncio.to_thread(self.machine.snapshot)
            await self.log.put_snapshot(self.now, data)
        except DiskFull as problem:
            self._limited_log.warning("full", "no snapshot of the rules across super-peers is kept: %s", problem)
        except StoreError as problem:
            self._fail(problem)
        finally:
            self._go_on()

    async def _recover(self) -> None:
        """Read the machine again, as it was before a bug, with all that was taken before."""
        try:
            while self._pending and self.failure is None:
                await asyncio.sleep(TICK_SECONDS)
            found = await self._store.read(lambda tx: restored(tx, self._setup))
            self.machine = found.machine
        except StoreError as problem:
            self._fail(problem)
        finally:
            self._go_on()

    def _hold(self) -> None:
        if self._held is None:
            self._held = deque()

    def _go_on(self) -> None:
        held, self._held = self._held or deque(), None
        for given, answer in held:
            self._take(given, answer)

    # Time

    async def _tick(self) -> None:
        while self.failure is None:
            await asyncio.sleep(TICK_SECONDS)
            now = self.now
            if self._held is None and not self.is_full and self.machine.is_due(now):
                self.take(Tick(now))
