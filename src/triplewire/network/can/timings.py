"""Intervals and timeouts of a node of a space, in seconds."""

from __future__ import annotations

from msgspec import Struct


class Timings(Struct, frozen=True, kw_only=True):
    """The defaults suit a local network; over slower links all of them are scaled together."""

    heartbeat: float = 1.0
    """Between two heartbeats to a neighbour."""
    fresh_for: float = 2.5
    """A neighbour counts as alive, for those that we tell of it, for this long after we heard from it."""
    suspect_after: float = 4.0
    """A neighbour of which nobody has heard for this long may be replaced by another owner."""
    fail_after: float = 6.0
    """The holder of the replica takes over after this time; the next candidate after twice as long, and so on."""
    retry: float = 1.0
    """Until an unacknowledged message is repeated."""
    remember: float = 60.0
    """How long messages are remembered, to recognise repeats; and how long after a failure claims are contested."""
    probe_departed_every: float = 5.0
    """Between two heartbeats to a node whose zones were taken over."""
    forget_departed_after: float = 3600.0
    """After this time a node whose zones were taken over is no longer probed."""
    rebalance_after: float = 3.0
    """How long a node stores next to nothing beside others before it moves to where more is stored."""
