"""One peer's part of the local schedule: what is under way there, and what waits.

A peer is asked for one thing after the other. Between an update and the end of its conditions nothing else is done
there, so that event queries see what the update has changed; nor while the end of a transaction is judged.
"""

from __future__ import annotations

from collections import deque
from enum import Enum

from msgspec import Struct

from triplewire.federation.execution.journal import Journal
from triplewire.federation.indexes.local_index import IndexChange
from triplewire.federation.sites.requests import Numbered, Request
from triplewire.rules.changes import Changes


class Phase(Enum):
    """How far an update has come."""

    EXECUTING = "executing"
    RULES = "waiting for the rules that its change needs"
    DETECTING = "evaluating event queries"
    CONDITIONS = "evaluating conditions"
    DEFERRED = "evaluating what has waited for the end of a transaction"


class Update(Struct):
    """An update that is under way. `conditions` are those that wait to be decided."""

    unit: str
    phase: Phase = Phase.EXECUTING
    changes: Changes = Changes()
    index: IndexChange = IndexChange()
    until: float = 0.0
    conditions: list[str] = []


class Lane:
    """The lane of one peer. `undone` are units that have aborted here and are not compensated yet."""

    def __init__(self, peer: str) -> None:
        self.peer = peer
        self.is_here = True
        self.gone_since = 0.0
        self.journal = Journal()
        self.ready: deque[str] = deque()
        self.undone: dict[str, None] = {}
        self.compensating: tuple[str, ...] = ()
        self.update: Update | None = None
        self.outstanding: Numbered | None = None
        self.sent_at = 0.0
        self._numbers = 0

    def ask(self, now: float, request: Request) -> Numbered:
        """Number a request; it is outstanding until it is answered."""
        assert self.outstanding is None, "one thing after the other"
        self._numbers += 1
        self.outstanding = Numbered(self._numbers, request)
        self.sent_at = now
        return self.outstanding

    @property
    def number(self) -> int:
        """The number of the last request."""
        return self._numbers

    @property
    def is_idle(self) -> bool:
        return self.update is None and self.outstanding is None and not self.ready and not self.undone
