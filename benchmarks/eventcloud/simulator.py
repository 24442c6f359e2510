"""A simulator in which time is what steps, commits and links cost. The protocol's own code runs.

Every node is a machine with one processor and a queue. It takes what has arrived, a batch of steps, flushes and commits
the storage once, and only then sends what the steps have returned, as the shell of a real node does. A message waits
for the sender's link, then takes as long as its bytes and the latency need.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from itertools import count
from typing import Any, Protocol

import msgspec
from msgspec import Struct, field

from benchmarks.eventcloud.costs import Commit, CostModel, Step
from triplewire.network.can.effects import Send

Run = Callable[[float], Sequence[Any]]
_ENCODE = msgspec.msgpack.Encoder().encode


class Links(Struct, frozen=True):
    """Like those between the machines of the paper's test bed: 0.1 ms, 1 Gbit/s, and what a frame adds to a message."""

    latency: float = 1e-4
    bytes_per_second: float = 125e6
    overhead: int = 66


class Input(Struct):
    """Something for a node to do. `run` gets the time and returns effects; the node's storage counts what it does."""

    step: Step
    run: Run
    storage: Any


class Priced(Struct, frozen=True):
    """What a step returned: messages as they travel, what the shell is told, and what it cost."""

    sent: list[tuple[Send, int]]
    told: list[Any]
    seconds: float


class Prices(Protocol):
    """What things cost."""

    def of_step(self, now: float, taken: Input) -> Priced: ...

    def of_commit(self, commit: Callable[[], object], changes: int) -> float: ...


class Modelled:
    """As the model says."""

    def __init__(self, model: CostModel) -> None:
        self._model = model

    def of_step(self, now: float, taken: Input) -> Priced:
        sent, told = _executed(now, taken)
        return Priced(sent, told, self._model.of_step(taken.step))

    def of_commit(self, commit: Callable[[], object], changes: int) -> float:
        commit()
        return self._model.of_commit(changes)


class Measured:
    """As long as it took this time; all is kept, for a model to be fitted to."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.commits: list[Commit] = []

    def of_step(self, now: float, taken: Input) -> Priced:
        before = time.thread_time()
        sent, told = _executed(now, taken)
        taken.step.seconds = time.thread_time() - before
        self.steps.append(taken.step)
        return Priced(sent, told, taken.step.seconds)

    def of_commit(self, commit: Callable[[], object], changes: int) -> float:
        before = time.thread_time()
        commit()
        seconds = time.thread_time() - before
        if changes:
            self.commits.append(Commit(changes, seconds))
        return seconds


def _executed(now: float, taken: Input) -> tuple[list[tuple[Send, int]], list[Any]]:
    storage, step = taken.storage, taken.step
    before = copy(storage.work)
    effects = taken.run(now)
    step.work = storage.work.since(before)
    sent = [(effect, len(_ENCODE(effect.message))) for effect in effects if isinstance(effect, Send)]
    step.sent = len(sent)
    step.size += sum(size for _, size in sent)
    return sent, [effect for effect in effects if not isinstance(effect, Send)]


class Machine(Struct):
    """A node and what is waiting for it. `busy` is for how long it has worked."""

    name: str
    member: Any
    storage: Any
    waiting: deque[Input] = field(default_factory=deque)
    is_working: bool = False
    link_free: float = 0.0
    busy: float = 0.0


class Simulator:
    """All machines, each for a member and the storage that it has.

    `told` is called with the time, the node and whatever a step told the shell.
    """

    def __init__(
        self,
        members: Mapping[str, tuple[Any, Any]],
        prices: Prices,
        describe: Callable[[Any, int], Step],
        links: Links = Links(),  # noqa: B008  frozen
    ) -> None:
        self.now = 0.0
        self.machines = {name: Machine(name, member, storage) for name, (member, storage) in members.items()}
        self.told: Callable[[float, str, Any], None] = lambda _now, _name, _effect: None
        self.messages: Counter[str] = Counter()
        self.bytes_sent = 0
        self._prices = prices
        self._describe = describe
        self._links = links
        self._agenda: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()

    def at(self, moment: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._agenda, (moment, next(self._numbers), action))

    def submit(self, name: str, step: Step, run: Run) -> None:
        """Give a node something to do, now."""
        machine = self.machines[name]
        machine.waiting.append(Input(step, run, machine.storage))
        if not machine.is_working:
            machine.is_working = True
            self.at(self.now, lambda: self._work(machine))

    def run_until(self, is_done: Callable[[], bool], most: float) -> bool:
        """Go on until something holds; False if it does not before the time is over."""
        while self._agenda and not is_done():
            if self._agenda[0][0] > most:
                return False
            self.now, _, action = heapq.heappop(self._agenda)
            action()
        return is_done()

    # Private

    def _work(self, machine: Machine) -> None:
        """One batch: its steps, a commit, and after that what is sent."""
        clock, sent, told, changes = self.now, [], [], machine.storage.work.changes
        for _ in range(min(machine.storage.most_in_batch, len(machine.waiting))):
            priced = self._prices.of_step(clock, machine.waiting.popleft())
            clock += priced.seconds
            sent += priced.sent
            told += priced.told
        flushed = self._prices.of_step(clock, Input(Step("flush"), machine.member.flush, machine.storage))
        clock += flushed.seconds
        clock += self._prices.of_commit(machine.storage.commit, machine.storage.work.changes - changes)
        machine.busy += clock - self.now
        self.at(clock, lambda: self._release(machine, [*sent, *flushed.sent], [*told, *flushed.told]))

    def _release(self, machine: Machine, sent: list[tuple[Send, int]], told: list[Any]) -> None:
        for effect, size in sent:
            self._send(machine, effect, size)
        for effect in told:
            self.told(self.now, machine.name, effect)
        if machine.waiting:
            self._work(machine)
        else:
            machine.is_working = False

    def _send(self, machine: Machine, effect: Send, size: int) -> None:
        machine.link_free = (
            max(machine.link_free, self.now) + (size + self._links.overhead) / self._links.bytes_per_second
        )
        step = self._describe(effect.message, size)
        self.messages[step.kind] += 1
        self.bytes_sent += size + self._links.overhead
        to, message, sender = effect.to, effect.message, machine.name

        def arrive() -> None:
            if to in self.machines:
                member = self.machines[to].member
                self.submit(to, step, lambda now: member.receive(now, sender, message))

        self.at(machine.link_free + self._links.latency, arrive)
