"""When the notifications of a peer are read from the outbox and sent: while it is on-line, a window at a time.

What comes while it is off-line stays in the outbox, so its return is nothing special: reading begins at the cursor.
"""

from __future__ import annotations

from functools import partial

from triplewire.network.sessions.access_point.effects import Acknowledge, Effect, Outcome, Page, ReadPending
from triplewire.network.sessions.access_point.flow_control import Flow
from triplewire.network.sessions.access_point.state import Desk, Visit
from triplewire.network.sessions.peer_messages import Missed, Notification, Received


class Notifying:
    """Reads and sends for every peer that is on-line."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def begin(self, visit: Visit, name: str) -> list[Effect]:
        """Send what waits for a subscription, and what will come."""
        if name not in visit.flows:
            visit.flows[name] = self._desk.flow()
        visit.flows[name].notice()
        return self._read(visit, name)

    def noticed(self, peer: str, name: str) -> list[Effect]:
        """There is something new for a subscription."""
        visit = self._desk.visit_of(peer)
        if visit is None or name not in visit.flows:
            return []
        visit.flows[name].notice()
        return self._read(visit, name)

    def received(self, visit: Visit, word: Received) -> list[Effect]:
        """The peer has saved notifications: move the cursor, and send more."""
        flow = visit.flows.get(word.name)
        arrived = None if flow is None or flow.number != word.flow else flow.acknowledge(word.position)
        if arrived is None:
            return []
        return [Acknowledge(visit.peer, word.name, arrived), *self._read(visit, word.name)]

    def _read(self, visit: Visit, name: str) -> list[Effect]:
        flow = visit.flows[name]
        limit = flow.room
        if not limit or (visit.leaving is not None and name not in visit.leaving.undrained):
            return []
        ticket = self._desk.ticket(partial(self._came, visit, name, flow))
        flow.begin(ticket)
        return [ReadPending(ticket, visit.peer, name, flow.read_to, limit)]

    def _came(self, visit: Visit, name: str, flow: Flow, now: float, outcome: Outcome) -> list[Effect]:
        if visit.flows.get(name) is not flow or not self._desk.is_current(visit):
            return []
        page = outcome if isinstance(outcome, Page) else Page((), has_more=False)
        ticket = flow.reading
        gap = [] if page.gap is None else [page.gap]
        # What was lost is acknowledged too, so that it is told once.
        flow.end([*gap, *(one.position for one in page.notifications)], page.has_more)
        if visit.leaving is not None and ticket is not None and not page.has_more:
            # What comes from here on, the peer gets from its new access point.
            visit.leaving.drained(name, ticket)
        lost = [visit.tell(Missed(name, flow.number, page.after, until)) for until in gap]
        sent = [
            visit.tell(Notification(name, flow.number, one.position, one.event, one.publisher, one.origin, one.content))
            for one in page.notifications
        ]
        return [*lost, *sent, *self._read(visit, name)]
