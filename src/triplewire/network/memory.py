"""What of a super-peer survives a restart."""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.messages import Member


class Memory(Struct, frozen=True, kw_only=True):
    """Whom it knew, and how far it had heard each origin. `starts` counts how often it was started."""

    members: tuple[Member, ...] = ()
    heard: dict[str, int] = {}
    starts: int = 0
