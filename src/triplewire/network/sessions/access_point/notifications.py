"""Sending of notifications: read from the outbox while a peer is on-line, a window at a time.

Notifications for a peer that is off-line stay in the outbox; when it returns, reading begins at the cursor.
"""

from __future__ import annotations

from functools import partial

from triplewire.network.sessions.access_point.effects import Acknowledge, Effect, NotificationPage, Outcome, ReadPending
from triplewire.network.sessions.access_point.flow_control import NotificationFlow
from triplewire.network.sessions.access_point.state import AccessPointState, Session
from triplewire.network.sessions.peer_messages import Missed, Notification, NotificationAck


class NotificationSender:
    """Reads and sends the notifications of every peer that is on-line."""

    def __init__(self, state: AccessPointState) -> None:
        self._state = state

    def begin(self, session: Session, name: str) -> list[Effect]:
        """Start sending the notifications of a subscription."""
        if name not in session.flows:
            session.flows[name] = self._state.flow()
        session.flows[name].mark_available()
        return self._read(session, name)

    def notifications_available(self, peer: str, name: str) -> list[Effect]:
        """A subscription has new notifications."""
        session = self._state.session_of(peer)
        if session is None or name not in session.flows:
            return []
        session.flows[name].mark_available()
        return self._read(session, name)

    def received(self, session: Session, message: NotificationAck) -> list[Effect]:
        """The peer has acknowledged notifications: move the cursor, and send more."""
        flow = session.flows.get(message.name)
        arrived = None if flow is None or flow.number != message.flow else flow.acknowledge(message.position)
        if arrived is None:
            return []
        return [Acknowledge(session.peer, message.name, arrived), *self._read(session, message.name)]

    def _read(self, session: Session, name: str) -> list[Effect]:
        flow = session.flows[name]
        limit = flow.credit
        if not limit or (session.migration is not None and name not in session.migration.undrained):
            return []
        ticket = self._state.ticket(partial(self._page_read, session, name, flow))
        flow.begin(ticket)
        return [ReadPending(ticket, session.peer, name, flow.read_to, limit)]

    def _page_read(
        self, session: Session, name: str, flow: NotificationFlow, now: float, outcome: Outcome
    ) -> list[Effect]:
        if session.flows.get(name) is not flow or not self._state.is_current(session):
            return []
        page = outcome if isinstance(outcome, NotificationPage) else NotificationPage((), has_more=False)
        ticket = flow.reading
        gap = [] if page.gap is None else [page.gap]
        # A gap is acknowledged like a notification, so that it is reported once.
        flow.end([*gap, *(one.position for one in page.notifications)], page.has_more)
        if session.migration is not None and ticket is not None and not page.has_more:
            # Later ones are sent by the peer's new access point.
            session.migration.drained(name, ticket)
        lost = [session.send(Missed(name, flow.number, page.after, until)) for until in gap]
        sent = [
            session.send(
                Notification(name, flow.number, one.position, one.event, one.publisher, one.origin, one.content)
            )
            for one in page.notifications
        ]
        return [*lost, *sent, *self._read(session, name)]
