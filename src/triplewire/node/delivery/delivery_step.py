"""What to do next for one webhook: a pure step, with time and chance handed in.

A webhook gets one notification at a time, in order. One that is not accepted is tried again, after a delay that
doubles with every failure in a row and is spread by chance; after the last try it becomes a dead letter and the next
one's turn comes. All times are monotonic: a clock that jumps (row F8) moves neither a retry nor the end of a lease.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from triplewire.system.backoff import Backoff


class RetryPolicy(Struct, frozen=True, kw_only=True):
    """How often and how long a webhook is tried."""

    first_delay: float = 1.0
    longest_delay: float = 900.0
    tries: int = 12
    timeout: float = 10.0

    @property
    def backoff(self) -> Backoff:
        return Backoff(self.first_delay, self.longest_delay)


class WebhookState(Struct, frozen=True, kw_only=True):
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


class Deliver(Struct, frozen=True):
    """Send the next notification now."""


class Wait(Struct, frozen=True):
    """Do nothing until then, unless something new happens."""

    until: float


class Expire(Struct, frozen=True):
    """The lease is over: stop, and keep what is not delivered until the owner renews."""


class GiveUp(Struct, frozen=True):
    """Make the notification at hand a dead letter, and go on to the next."""

    tries: int


Step = Deliver | Wait | Expire


def next_step(state: WebhookState, now: float) -> Step:
    """What to do when a notification is waiting."""
    if now >= state.lease_ends:
        return Expire()
    if now < state.not_before:
        return Wait(min(state.not_before, state.lease_ends))
    return Deliver()


def accepted(state: WebhookState, position: int) -> WebhookState:
    """The receiver has it."""
    return replace(state, cursor=position, tries=0, failures=0, not_before=0.0)


def refused(
    state: WebhookState, position: int, retry: RetryPolicy, *, now: float, chance: float
) -> tuple[WebhookState, GiveUp | None]:
    """The receiver does not have it. `chance` is a random number from 0 to 1."""
    tries, failures = state.tries + 1, state.failures + 1
    waiting = replace(state, tries=tries, failures=failures, not_before=now + retry.backoff.delay(failures, chance))
    if tries < retry.tries:
        return waiting, None
    return replace(waiting, cursor=position, tries=0), GiveUp(tries)
