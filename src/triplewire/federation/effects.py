"""Effects: what rules across super-peers ask of the shell around them."""

from __future__ import annotations

from msgspec import Struct

from triplewire.federation.messages import Message


class ToSuperPeer(Struct, frozen=True):
    """Send a message to another super-peer: once, in order, and whenever it can be reached again."""

    to: str
    message: Message


class ToAll(Struct, frozen=True):
    """Broadcast a message over the cube. Whoever misses it hears of it by an exchange."""

    message: Message


Effect = ToSuperPeer | ToAll
