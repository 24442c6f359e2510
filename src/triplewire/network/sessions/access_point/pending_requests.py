"""Requests of peers that wait for the answer of another access point."""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.sessions.access_point.effects import Effect
from triplewire.network.sessions.access_point.state import AccessPointState, Session
from triplewire.network.sessions.deadlines import Key

PENDING_REQUEST = "pending request"


class PendingRequest(Struct, frozen=True):
    session: Session
    request_id: int


class PendingRequests:
    """Pending requests by key."""

    def __init__(self, state: AccessPointState) -> None:
        self._state = state
        self._open: dict[Key, PendingRequest] = {}

    def begin(self, now: float, key: Key, session: Session, request_id: int) -> None:
        """Wait for an answer, with a deadline; a repeated request does not extend it."""
        known = self._open.get(key)
        self._open[key] = PendingRequest(session, request_id)
        if known is None or known.session is not session:
            self._state.deadlines.set((PENDING_REQUEST, *key), now + self._state.settings.answer)

    def end(self, key: Key) -> PendingRequest | None:
        """An answer has come: returns the request, if the peer is still on-line."""
        self._state.deadlines.clear((PENDING_REQUEST, *key))
        pending = self._open.pop(key, None)
        return pending if pending is not None and self._state.is_current(pending.session) else None

    def time_out(self, key: Key) -> list[Effect]:
        """No answer has come in time."""
        pending = self.end(key)
        if pending is None:
            return []
        return pending.session.refuse(
            pending.request_id, f"an answer within {self._state.settings.answer:g} s", "none", again=True
        )
