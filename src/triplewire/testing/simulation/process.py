"""A simulated process: it starts, crashes, stalls, and has a clock and a slow disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triplewire.testing.simulation.world import World

_SLOWEST_WRITE = 0.01


class Process:
    """`incarnation` changes with every start and crash, so that actions of an earlier one are dropped."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.incarnation = 0
        self._offset = 0.0
        self._written_at = 0.0
        self._stalled_until = 0.0

    def begin(self) -> None:
        """Begin a new incarnation. Its monotonic clock starts anywhere."""
        self.incarnation += 1
        self._offset = self.world.clock_offset()
        self._written_at = self.world.now

    @property
    def now(self) -> float:
        """By its own clock."""
        return self.world.now + self._offset

    @property
    def is_stalled(self) -> bool:
        return self.world.now < self._stalled_until

    def stall(self, seconds: float) -> None:
        """Suspend the process for some seconds; then it handles everything that came meanwhile."""
        self._stalled_until = self.world.now + seconds
        self.later(seconds, self.wake)

    def wake(self) -> None:
        """Handle what was deferred."""

    def later(self, seconds: float, action: Callable[[], object]) -> None:
        """Do something after some seconds, in this incarnation."""
        self.world.later(seconds, self._in_this_incarnation, self.incarnation, action)

    def write(self, action: Callable[[], object]) -> None:
        """Change the disk after a moment, in order; a crash may come before it."""
        self._written_at = max(self._written_at, self.world.now + self.disk_moment())
        self.later(self._written_at - self.world.now, action)

    def disk_moment(self) -> float:
        return self.world.rng.random() * _SLOWEST_WRITE

    def _in_this_incarnation(self, lifetime: int, action: Callable[[], object]) -> None:
        if lifetime == self.incarnation:
            action()
