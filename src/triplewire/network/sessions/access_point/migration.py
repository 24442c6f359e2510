"""Migration, as figure 3 goes: a peer that is at another access point now takes with it what is pending here.

    A -> AP3   connects, and subscribes
    A -> AP    connects once more: Migrate(to=AP3)
    AP -> A    off-line notifications and rendezvous files, a window at a time
    AP -> A    Drained: everything up to this tide was sent and is safe
    A          its previous access point is AP3
    A -> AP    Moved
    AP         forgets A and updates its indices; remembers only where A went
    A -> AP3   its subscriptions, from the tide on; AP3 updates its indices

A asks AP itself, not through AP3: what is A's passes no third hand, flow control reaches from end to end, and AP need
not take AP3's word for who A is. The tide is read before the last page: what comes later is for AP3 to send, which is
asked for everything after the tide. So nothing falls between, and what comes twice has the same identity.
"""

from __future__ import annotations

from functools import partial

from triplewire.network.sessions.access_point.agreements import Agreements
from triplewire.network.sessions.access_point.effects import Effect, ForgetPeer, Heard, Outcome, ReadTide
from triplewire.network.sessions.access_point.notifications import Notifying
from triplewire.network.sessions.access_point.presence import Presence
from triplewire.network.sessions.access_point.rendezvous import Rendezvous
from triplewire.network.sessions.access_point.state import Desk, Leaving, Visit
from triplewire.network.sessions.peer_messages import Done, Drained, Migrate, Moved

POINTER = "pointer"


class Migration:
    """Lets peers go."""

    def __init__(
        self, desk: Desk, presence: Presence, notifying: Notifying, rendezvous: Rendezvous, agreements: Agreements
    ) -> None:
        self._desk = desk
        self._presence = presence
        self._notifying = notifying
        self._rendezvous = rendezvous
        self._agreements = agreements
        self._leaving: dict[str, Visit] = {}

    def migrate(self, visit: Visit, word: Migrate) -> list[Effect]:
        """Begin to drain what is pending."""
        if word.to == self._desk.id:
            return visit.refuse(word.ask, "another access point", "this one")
        visit.leaving = Leaving(word.ask, word.to, undrained=set(visit.flows))
        ticket = self._desk.ticket(partial(self._heard, visit, visit.leaving))
        self._leaving[visit.connection] = visit
        return [ReadTide(ticket, visit.peer)]

    def _heard(self, visit: Visit, leaving: Leaving, now: float, outcome: Outcome) -> list[Effect]:
        if visit.leaving is not leaving or not isinstance(outcome, Heard) or not self._desk.is_current(visit):
            return []
        leaving.tide, leaving.tide_ticket = outcome.tide, self._desk.last_ticket
        return [effect for name in sorted(leaving.undrained) for effect in self._notifying.begin(visit, name)]

    def progress(self) -> list[Effect]:
        """Tell those who have everything that they do."""
        self._leaving = {key: visit for key, visit in self._leaving.items() if self._desk.is_current(visit)}
        return [effect for visit in self._leaving.values() for effect in self._told(visit)]

    def _told(self, visit: Visit) -> list[Effect]:
        leaving = visit.leaving
        if leaving is None or leaving.is_told or leaving.tide is None:
            return []
        is_open = any(name in leaving.undrained or flow.is_busy for name, flow in visit.flows.items())
        if is_open or self._rendezvous.has_files(visit.peer):
            return []
        leaving.is_told = True
        return [visit.tell(Drained(leaving.ask, leaving.tide))]

    def moved(self, now: float, visit: Visit, word: Moved) -> list[Effect]:
        """The peer has everything: forget it, and hand on what others want of it."""
        leaving = visit.leaving
        if leaving is None or not leaving.is_told:
            return visit.refuse(word.ask, "a peer that has everything pending", "one that has not")
        pointer = self._presence.move(now, visit, leaving.to)
        self._desk.deadlines.set((POINTER, visit.peer), now + self._desk.terms.keep)
        handed_on = self._agreements.hand_on(visit.peer, leaving.to)
        self._rendezvous.forget(visit.peer)
        ticket = self._desk.ticket(lambda now, _: self._end(now, visit, word.ask))
        return [*handed_on, ForgetPeer(ticket, visit.peer, pointer)]

    def _end(self, now: float, visit: Visit, ask: int) -> list[Effect]:
        answer = self._desk.answer(visit, Done(ask))
        return [*answer, *self._presence.disconnected(now, visit.connection)]
