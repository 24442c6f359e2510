"""What both kinds of client share: how they introduce themselves, how long they wait, how often they acknowledge."""

from __future__ import annotations

import time

import httpx

# A node sends a sign of life every quarter of a minute; three missing ones are a lost connection.
STREAM_TIMEOUT = httpx.Timeout(10.0, read=45.0)
_EVERY_NOTIFICATIONS, _EVERY_SECONDS = 100, 1.0


def headers_of(secret: str | None) -> dict[str, str]:
    """The headers of every request."""
    named = {"user-agent": "triplewire-client", "accept-encoding": "identity"}
    return named if secret is None else named | {"authorization": f"Bearer {secret}"}


class Pending:
    """Decides when to acknowledge: after so many notifications, or so much time, whichever comes first."""

    def __init__(self, every: int, seconds: float) -> None:
        self._every, self._seconds = every, seconds
        self._count, self._since = 0, time.monotonic()

    def is_due(self) -> bool:
        self._count += 1
        now = time.monotonic()
        if self._count < self._every and now - self._since < self._seconds:
            return False
        self._count, self._since = 0, now
        return True


def acknowledged_every() -> Pending:
    """The usual pace."""
    return Pending(_EVERY_NOTIFICATIONS, _EVERY_SECONDS)
