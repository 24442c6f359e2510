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
    lease: float = 5.0
    """For how long after the holder heard from us we serve our zones: less than `fail_after`."""
    retry: float = 1.0
    """Until an unacknowledged message is repeated."""
    remember: float = 60.0
    """How long transfers and multicasts are remembered, to recognise repeats."""
    probe_departed_every: float = 5.0
    """Between two heartbeats to a node whose zones were taken over."""
