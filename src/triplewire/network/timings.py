"""Intervals and timeouts of a super-peer, in seconds."""

from __future__ import annotations

from msgspec import Struct


class Timings(Struct, frozen=True, kw_only=True):
    """The defaults suit a local network; over slower links all of them are scaled together."""

    heartbeat: float = 1.0
    """Between two heartbeats, and between two watermark updates."""
    suspect_after: float = 4.0
    """A neighbour that owes an acknowledgement for this long is suspected."""
    fail_after: float = 2.0
    """A suspect that no other member reports as reachable within this time is declared failed."""
    retry: float = 1.0
    """Until an unacknowledged message is retransmitted, and between two attempts to join."""
    resume_after: float = 6.0
    """A restarted super-peer that finds nobody for this long goes on with the members it knew."""
    probe_failed_every: float = 5.0
    """Between two probes of a member that was declared failed."""
    withdraw_after: float = 10.0
    """How long a withdrawn advertisement still counts: events published under it may have to be recalled."""
    remember_broadcasts: float = 60.0
    """How long broadcasts are remembered, to recognise repeats."""
