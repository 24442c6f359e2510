"""What a peer asked of another access point, and waits for."""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.sessions.access_point.effects import Effect
from triplewire.network.sessions.access_point.state import Desk, Visit
from triplewire.network.sessions.deadlines import Key

ERRAND = "errand"


class Errand(Struct, frozen=True):
    visit: Visit
    ask: int


class Errands:
    """One for each key."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._open: dict[Key, Errand] = {}

    def begin(self, now: float, key: Key, visit: Visit, ask: int) -> None:
        """Wait for an answer, but not for ever: who asks again does not wait any longer for that."""
        known = self._open.get(key)
        self._open[key] = Errand(visit, ask)
        if known is None or known.visit is not visit:
            self._desk.deadlines.set((ERRAND, *key), now + self._desk.terms.answer)

    def end(self, key: Key) -> Errand | None:
        """An answer has come: who waits for it, if the peer is still here."""
        self._desk.deadlines.clear((ERRAND, *key))
        errand = self._open.pop(key, None)
        return errand if errand is not None and self._desk.is_current(errand.visit) else None

    def give_up(self, key: Key) -> list[Effect]:
        """None has come."""
        errand = self.end(key)
        if errand is None:
            return []
        return errand.visit.refuse(errand.ask, f"an answer within {self._desk.terms.answer:g} s", "none", again=True)
