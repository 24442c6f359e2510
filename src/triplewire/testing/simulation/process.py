"""A simulated process: it starts, crashes, stalls, and has a clock and a disk that takes its time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triplewire.testing.simulation.world import World

_SLOWEST_WRITE = 0.01


class Process:
    """`lives` changes with every start and crash, so that whatever an earlier life has begun comes to nothing."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.lives = 0
        self._offset = 0.0
        self._written_at = 0.0
        self._stalled_until = 0.0

    def begin(self) -> None:
        """A new life. A process that starts finds its monotonic clock anywhere."""
        self.lives += 1
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
        """Do nothing for a while, and then everything that came meanwhile: a suspended machine."""
        self._stalled_until = self.world.now + seconds
        self.later(seconds, self.wake)

    def wake(self) -> None:
        """What was put off is due."""

    def later(self, seconds: float, action: Callable[[], object]) -> None:
        """Do something after a while, in this life."""
        self.world.later(seconds, self._in_this_life, self.lives, action)

    def write(self, action: Callable[[], object]) -> None:
        """Change the disk after a moment, in the order in which it was asked for; a crash may come before it."""
        self._written_at = max(self._written_at, self.world.now + self.disk_moment())
        self.later(self._written_at - self.world.now, action)

    def disk_moment(self) -> float:
        return self.world.rng.random() * _SLOWEST_WRITE

    def _in_this_life(self, life: int, action: Callable[[], object]) -> None:
        if life == self.lives:
            action()
