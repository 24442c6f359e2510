"""Flow control: how many notifications are in flight to a peer, and when to read more.

Notifications stay in the store's outbox; the state here ends with the connection, and begins again at the cursor.
"""

from __future__ import annotations

from collections import deque


class NotificationFlow:
    """One subscription of a peer that is on-line. At most `window` notifications are unacknowledged."""

    def __init__(self, number: int, window: int) -> None:
        self.number = number
        self._window = window
        self._unacknowledged: deque[int] = deque()
        self._has_more = True
        self.read_to: int | None = None
        self.reading: int | None = None

    @property
    def credit(self) -> int:
        """How many notifications may be read now: 0 while a page is being read, or if there is nothing new."""
        if self.reading is not None or not self._has_more:
            return 0
        return max(0, self._window - len(self._unacknowledged))

    @property
    def is_busy(self) -> bool:
        """Whether something is being read, or in flight."""
        return self.reading is not None or bool(self._unacknowledged)

    def mark_available(self) -> None:
        """The outbox has, or may have, new notifications."""
        self._has_more = True

    def begin(self, ticket: int) -> None:
        """A page is being read."""
        self.reading = ticket
        self._has_more = False

    def end(self, positions: list[int], has_more: bool) -> None:
        """A page was read, and is sent. New notifications since then count as well."""
        self.reading = None
        self._unacknowledged.extend(positions)
        if positions:
            self.read_to = positions[-1]
        self._has_more = self._has_more or has_more

    def acknowledge(self, position: int) -> int | None:
        """Acknowledge notifications up to a position; returns the last one acknowledged, None if there is none."""
        arrived = None
        while self._unacknowledged and self._unacknowledged[0] <= position:
            arrived = self._unacknowledged.popleft()
        return arrived
