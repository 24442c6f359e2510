"""Migration, as in figure 3: a peer that has moved to another access point fetches what is pending here.

    A -> AP3   connects, and subscribes
    A -> AP    connects once more: Migrate(to=AP3)
    AP -> A    off-line notifications and rendezvous files, a window at a time
    AP -> A    Drained: everything up to these watermarks was sent and acknowledged
    A          its previous access point is AP3
    A -> AP    Moved
    AP         forgets A and updates its indices; keeps a pointer to AP3
    A -> AP3   its subscriptions, since the watermarks; AP3 updates its indices

A asks AP itself, not through AP3: its data passes no third party, flow control is end to end, and AP need not trust AP3
about who A is. The watermarks are read before the last page: AP3 sends everything after them. So nothing is lost, and
what comes twice has the same identity.
"""

from __future__ import annotations

from functools import partial

from triplewire.network.sessions.access_point.effects import Effect, ForgetPeer, Outcome, ReadWatermarks, WatermarksRead
from triplewire.network.sessions.access_point.notifications import NotificationSender
from triplewire.network.sessions.access_point.owner_rendezvous import OwnerRendezvous
from triplewire.network.sessions.access_point.presence import Presence
from triplewire.network.sessions.access_point.requester_rendezvous import RequesterRendezvous
from triplewire.network.sessions.access_point.state import AccessPointState, MigrationProgress, Session
from triplewire.network.sessions.peer_messages import Done, Drained, Migrate, Moved

POINTER = "pointer"


class Migration:
    """Drains and forgets peers that have moved."""

    def __init__(
        self,
        state: AccessPointState,
        presence: Presence,
        notifications: NotificationSender,
        requester_rendezvous: RequesterRendezvous,
        owner_rendezvous: OwnerRendezvous,
    ) -> None:
        self._state = state
        self._presence = presence
        self._notifications = notifications
        self._requester_rendezvous = requester_rendezvous
        self._owner_rendezvous = owner_rendezvous
        self._migrating: dict[str, Session] = {}

    def migrate(self, session: Session, message: Migrate) -> list[Effect]:
        """Begin to drain what is pending."""
        if message.to == self._state.id:
            return session.refuse(message.request_id, "another access point", "this one")
        session.migration = MigrationProgress(message.request_id, message.to, undrained=set(session.flows))
        ticket = self._state.ticket(partial(self._watermarks_read, session, session.migration))
        self._migrating[session.connection] = session
        return [ReadWatermarks(ticket, session.peer)]

    def _watermarks_read(
        self, session: Session, progress: MigrationProgress, now: float, outcome: Outcome
    ) -> list[Effect]:
        if (
            session.migration is not progress
            or not isinstance(outcome, WatermarksRead)
            or not self._state.is_current(session)
        ):
            return []
        progress.watermarks, progress.watermarks_ticket = outcome.watermarks, self._state.last_ticket
        return [effect for name in sorted(progress.undrained) for effect in self._notifications.begin(session, name)]

    def progress(self) -> list[Effect]:
        """Report to peers that are drained."""
        self._migrating = {key: session for key, session in self._migrating.items() if self._state.is_current(session)}
        return [effect for session in self._migrating.values() for effect in self._report(session)]

    def _report(self, session: Session) -> list[Effect]:
        progress = session.migration
        if progress is None or progress.is_reported or progress.watermarks is None:
            return []
        is_open = any(name in progress.undrained or flow.is_busy for name, flow in session.flows.items())
        if is_open or self._requester_rendezvous.has_files(session.peer):
            return []
        progress.is_reported = True
        return [session.send(Drained(progress.request_id, progress.watermarks))]

    def moved(self, now: float, session: Session, message: Moved) -> list[Effect]:
        """The peer has everything: forget it, and hand over its pending uploads."""
        progress = session.migration
        if progress is None or not progress.is_reported:
            return session.refuse(message.request_id, "a peer that has everything pending", "one that has not")
        pointer = self._presence.move(now, session, progress.to)
        self._state.deadlines.set((POINTER, session.peer), now + self._state.settings.keep)
        handed_over = self._owner_rendezvous.hand_over(session.peer, progress.to)
        self._requester_rendezvous.forget(session.peer)
        ticket = self._state.ticket(lambda now, _: self._end(now, session, message.request_id))
        return [*handed_over, ForgetPeer(ticket, session.peer, pointer)]

    def _end(self, now: float, session: Session, request_id: int) -> list[Effect]:
        answer = self._state.reply(session, Done(request_id))
        return [*answer, *self._presence.disconnected(now, session.connection)]
