"""Flow control: how much of a subscription is on its way to a peer, and when to read on.

Notifications stay in the store's outbox; what is here is forgotten with the connection, and begins again at the cursor.
"""

from __future__ import annotations

from collections import deque


class Flow:
    """One subscription of a peer that is on-line. At most `window` notifications are unacknowledged."""

    def __init__(self, number: int, window: int) -> None:
        self.number = number
        self._window = window
        self._unacknowledged: deque[int] = deque()
        self._has_more = True
        self.read_to: int | None = None
        self.reading: int | None = None

    @property
    def room(self) -> int:
        """How many may be read now: none while a page is being read, and none when there is nothing new."""
        if self.reading is not None or not self._has_more:
            return 0
        return max(0, self._window - len(self._unacknowledged))

    @property
    def is_busy(self) -> bool:
        """Whether something is being read, or on its way."""
        return self.reading is not None or bool(self._unacknowledged)

    def notice(self) -> None:
        """There is something new in the outbox, or there may be."""
        self._has_more = True

    def begin(self, ticket: int) -> None:
        """A page is being read."""
        self.reading = ticket
        self._has_more = False

    def end(self, positions: list[int], has_more: bool) -> None:
        """A page was read, and is sent. What was noticed meanwhile counts as well."""
        self.reading = None
        self._unacknowledged.extend(positions)
        if positions:
            self.read_to = positions[-1]
        self._has_more = self._has_more or has_more

    def acknowledge(self, position: int) -> int | None:
        """Up to which position what was sent has arrived now; None if that is nothing new."""
        arrived = None
        while self._unacknowledged and self._unacknowledged[0] <= position:
            arrived = self._unacknowledged.popleft()
        return arrived
