"""What delivery asks of the broker: read on from a position, wait for more, acknowledge, bury.

Positions are the numbers of the event log: whole, growing, and the same for every subscription. A notification's position
is its event's; reading `after` a position gives what came later, oldest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct


class Notification(Protocol):
    """A match on its way to its owner. `body` is its JSON: `event`, `position`, `solutions`, ..."""

    @property
    def position(self) -> int: ...
    @property
    def event(self) -> str: ...
    @property
    def body(self) -> bytes: ...


class Gap(Struct, frozen=True):
    """Retention has passed the reader by: what was after `after` up to `until` is no longer here."""

    after: int
    until: int
