"""Intervals and timeouts of rules across super-peers, in seconds."""

from __future__ import annotations

from msgspec import Struct


class FederationTimings(Struct, frozen=True, kw_only=True):
    """The defaults suit a local network; over slower links all of them are scaled together."""

    retry: float = 1.0
    """Until a message that nobody has acknowledged, or a request that nobody has answered, is sent again."""
    exchange: float = 5.0
    """Between two exchanges with another super-peer, picked at random, of what each of them has."""
    growth: float = 5.0
    """How long a super-peer waits for the rules behind each neighbour; then it goes on with those that it got."""
    tombstone: float = 600.0
    """How long a super-peer remembers that a rule was unregistered, so that no late copy brings it back."""
    condition: float = 10.0
    """How long a condition waits for the sites that it concerns; then it has failed, with what it would have led to."""
    absence: float = 10.0
    """How long a unit waits for its peer to return; then it aborts, and is compensated when the peer returns."""
    remember: float = 600.0
    """How long what has ended can still be compensated."""
