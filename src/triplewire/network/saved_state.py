"""The saved state of a super-peer: what survives a restart."""

from __future__ import annotations

from msgspec import Struct, field

from triplewire.network.messages import Member


class SavedSuperPeer(Struct, frozen=True, kw_only=True):
    """The members that it knew, and its watermark for each origin. `starts` counts how often it was started."""

    members: tuple[Member, ...] = ()
    # The name on the disk is that of an earlier version.
    watermarks: dict[str, int] = field(default_factory=dict, name="heard")
    starts: int = 0
