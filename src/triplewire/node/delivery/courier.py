"""What to do next for one webhook: a pure step, with time and chance handed in.

A courier carries one notification at a time, in order. One that is not accepted is tried again, after a delay that
doubles with every failure in a row and is spread by chance; after the last try it becomes a dead letter and the next
one's turn comes. All times are monotonic: a clock that jumps (row F8) moves neither a retry nor the end of a lease.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from triplewire.system.backoff import Backoff


class Patience(Struct, frozen=True, kw_only=True):
    """How long a courier goes on trying."""

    first_delay: float = 1.0
    longest_delay: float = 900.0
    tries: int = 12
    timeout: float = 10.0

    @property
    def backoff(self) -> Backoff:
        return Backoff(self.first_delay, self.longest_delay)


class Courier(Struct, frozen=True, kw_only=True):
    """One webhook's state. `tries` counts for the notification at hand, `failures` in a row for the receiver."""

    cursor: int
    lease_ends: float
    tries: int = 0
    failures: int = 0
    not_before: float = 0.0

    @property
    def suspect(self) -> bool:
        """The receiver failed last time, so it waits in the lane of those that may be slow (row F5)."""
        return self.failures > 0


class Post(Struct, frozen=True):
    """Send the next notification now."""


class Rest(Struct, frozen=True):
    """Do nothing until then, unless something new happens."""

    until: float


class Lapse(Struct, frozen=True):
    """The lease is over: stop, and keep what is not delivered until the owner renews."""


class Bury(Struct, frozen=True):
    """Make the notification at hand a dead letter, and go on to the next."""

    tries: int


Step = Post | Rest | Lapse


def next_step(courier: Courier, now: float) -> Step:
    """What to do when a notification is waiting."""
    if now >= courier.lease_ends:
        return Lapse()
    if now < courier.not_before:
        return Rest(min(courier.not_before, courier.lease_ends))
    return Post()


def accepted(courier: Courier, position: int) -> Courier:
    """The receiver has it."""
    return replace(courier, cursor=position, tries=0, failures=0, not_before=0.0)


def refused(
    courier: Courier, position: int, patience: Patience, *, now: float, chance: float
) -> tuple[Courier, Bury | None]:
    """The receiver does not have it. `chance` is a random number from 0 to 1."""
    tries, failures = courier.tries + 1, courier.failures + 1
    waiting = replace(
        courier, tries=tries, failures=failures, not_before=now + patience.backoff.delay(failures, chance)
    )
    if tries < patience.tries:
        return waiting, None
    return replace(waiting, cursor=position, tries=0), Bury(tries)


def renewed(courier: Courier, lease_ends: float) -> Courier:
    """The owner has proven the receiver again: a new lease, and no waiting for what failed before."""
    return replace(courier, lease_ends=lease_ends, failures=0, not_before=0.0)
