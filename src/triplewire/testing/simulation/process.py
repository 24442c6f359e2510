"""A simulated process: it starts, crashes, stalls, and has a clock and a slow disk."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic

from triplewire.testing.simulation.trace import Msg

if TYPE_CHECKING:
    from triplewire.testing.simulation.world import SimulatedWorld

_SLOWEST_WRITE = 0.01


class Process(ABC, Generic[Msg]):
    """`incarnation` changes with every start and crash, so that actions of an earlier one are dropped."""

    def __init__(self, world: SimulatedWorld[Msg, Any, Any], process_id: str) -> None:
        self._world = world
        self.id = process_id
        self.address = f"sim://{process_id}"
        self.incarnation = 0
        self.is_up = False
        self.is_leaving = False
        self._offset = 0.0
        self._written_at = 0.0
        self._stalled_until = 0.0
        self._deferred: list[tuple[str, Msg]] = []

    # Life

    @abstractmethod
    def start(self) -> None:
        """Start with what the disk has."""

    def begin(self) -> None:
        """Begin a new incarnation. Its monotonic clock starts anywhere."""
        self.incarnation += 1
        self.is_up = True
        self._offset = self._world.clock_offset()
        self._written_at = self._world.now

    def crash(self) -> None:
        """Lose everything but the disk."""
        self.incarnation += 1
        self.is_up = False
        self._deferred.clear()

    @property
    def now(self) -> float:
        """By its own clock."""
        return self._world.now + self._offset

    @property
    def is_stalled(self) -> bool:
        return self._world.now < self._stalled_until

    def stall(self, seconds: float) -> None:
        """Suspend the process for some seconds; then it handles everything that came meanwhile."""
        self._stalled_until = self._world.now + seconds
        self.later(seconds, self._wake)

    def _wake(self) -> None:
        missed, self._deferred = self._deferred, []
        for sender, message in missed:
            self.receive(sender, message)

    # Messages

    def receive(self, sender: str, message: Msg) -> None:
        """Handle a message, or defer it while the process is stalled."""
        if not self.is_up:
            return
        if self.is_stalled:
            self._deferred.append((sender, message))
        else:
            self.handle(sender, message)

    @abstractmethod
    def handle(self, sender: str, message: Msg) -> None:
        """Handle a message."""

    # Time

    def later(self, seconds: float, action: Callable[[], object]) -> None:
        """Do something after some seconds, in this incarnation."""
        self._world.later(seconds, self._in_this_incarnation, self.incarnation, action)

    def write(self, action: Callable[[], object]) -> None:
        """Change the disk after a moment, in order; a crash may come before it."""
        self._written_at = max(self._written_at, self._world.now + self.disk_moment())
        self.later(self._written_at - self._world.now, action)

    def disk_moment(self) -> float:
        return self._world.rng.random() * _SLOWEST_WRITE

    def _in_this_incarnation(self, lifetime: int, action: Callable[[], object]) -> None:
        if lifetime == self.incarnation:
            action()
