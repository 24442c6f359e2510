"""How long a super-peer waits for what, in seconds."""

from __future__ import annotations

from msgspec import Struct


class Timings(Struct, frozen=True, kw_only=True):
    """The defaults suit a local network; over longer lines they are raised together."""

    beat: float = 1.0
    """Between two signs of life, and between two tides."""
    silence: float = 4.0
    """Without an answer for so long a neighbour is suspected."""
    verdict: float = 2.0
    """So long others have to say that they hear a suspect."""
    retry: float = 1.0
    """Until something unacknowledged is sent again, and between two tries to join."""
    resume: float = 6.0
    """Until a super-peer that comes back and finds nobody goes on alone, with those it knew."""
    seek: float = 5.0
    """Between two looks for a member that was given up."""
    linger: float = 10.0
    """So long a withdrawn advertisement still counts: what was published under it may have to be recalled."""
    remember: float = 60.0
    """So long broadcasts are remembered."""
