"""One peer's part of the local schedule: what is under way there, and what waits.

A peer is asked for one thing after the other. Between an update and the end of its conditions it is asked for nothing
else, but it may change by itself: event queries are then evaluated on the state right after the update. Nor is it asked
for anything else while the end of a transaction is judged.
"""

from __future__ import annotations

from collections import deque
from enum import Enum

from msgspec import Struct

from triplewire.federation.execution.journal import Journal
from triplewire.federation.sites.requests import Matched, Numbered, Request, Told
from triplewire.rules.changes import Changes


class Phase(Enum):
    """How far an update has come."""

    EXECUTING = "executing"
    RULES = "waiting for the rules that its change needs"
    DETECTING = "evaluating event queries"
    CONDITIONS = "evaluating conditions"
    DEFERRED = "evaluating what has waited for the end of a transaction"


class Update(Struct):
    """An update that is under way. `conditions` are those that wait to be decided.

    The peer has told of it as `serial`; in its journal it is entry `number`. `changes` are all that may be events,
    `net` is what has changed in the end.
    """

    unit: str
    phase: Phase = Phase.EXECUTING
    changes: Changes = Changes()
    net: Changes = Changes()
    serial: int = 0
    number: int = 0
    until: float = 0.0
    conditions: list[str] = []


class Lane:
    """The lane of one peer. `undone` are units that have aborted here and are not compensated yet.

    `next_serial` is what the peer tells next; `early` is what came before its turn. `reported` are changes of the
    peer's own whose events wait for theirs. The peer was told to forget all changes up to `forgotten`.
    """

    def __init__(self, peer: str) -> None:
        self.peer = peer
        self.is_here = True
        self.gone_since = 0.0
        self.journal = Journal()
        self.ready: deque[str] = deque()
        self.undone: dict[str, None] = {}
        self.compensating: tuple[str, ...] = ()
        self.compensated_since = 0
        self.update: Update | None = None
        self.outstanding: Numbered | None = None
        self.sent_at = 0.0
        self.next_serial = 1
        self.early: dict[int, Told] = {}
        self.early_matched: dict[str, Matched] = {}
        self.reported: dict[str, Update] = {}
        self.forgotten = 0
        self._numbers = 0

    def ask(self, now: float, request: Request) -> Numbered:
        """Number a request; it is outstanding until it is answered."""
        assert self.outstanding is None, "one thing after the other"
        self._numbers += 1
        self.outstanding = Numbered(self._numbers, request)
        self.sent_at = now
        return self.outstanding

    def is_unanswered(self, now: float, retry: float) -> bool:
        """Whether the peer has to be asked again."""
        return self.outstanding is not None and self.is_here and now - self.sent_at >= retry

    def is_absent(self, now: float, absence: float) -> bool:
        """Whether the peer has been gone for too long."""
        return not self.is_here and now - self.gone_since >= absence

    @property
    def is_idle(self) -> bool:
        return self.update is None and self.outstanding is None and not self.ready and not self.undone
