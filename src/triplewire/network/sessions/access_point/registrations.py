"""What a peer has standing at its access point: subscriptions, and an advertisement that it repeats; and publishing.

An advertisement expires if a peer that is on-line does not repeat it. One that is off-line cannot repeat: as long as it
is remembered, the indices do not change.
"""

from __future__ import annotations

import msgspec

from triplewire.network.sessions.access_point.effects import (
    AddSubscription,
    Advertise,
    Effect,
    Failed,
    KeepPeer,
    Outcome,
    RemoveSubscription,
    Stored,
    StoreEvents,
    Unadvertise,
)
from triplewire.network.sessions.access_point.notifications import Notifying
from triplewire.network.sessions.access_point.state import Desk, Guest, Then, Visit, nothing
from triplewire.network.sessions.peer_messages import (
    Accepted,
    Done,
    Publish,
    Register,
    Subscribe,
    Unsubscribe,
    Withdraw,
)

ADVERTISEMENT = "advertisement"


class Standing:
    """Subscribes, advertises and publishes for peers."""

    def __init__(self, desk: Desk, notifying: Notifying) -> None:
        self._desk = desk
        self._notifying = notifying

    # Subscriptions

    def subscribe(self, visit: Visit, word: Subscribe) -> list[Effect]:
        def done(now: float) -> list[Effect]:
            guest = self._desk.guests.get(visit.peer)
            if guest is not None:
                guest.names.add(word.name)
            if not self._desk.is_current(visit):
                return []
            if word.since is not None:
                # It may begin further back than where it was read.
                visit.flows.pop(word.name, None)
            return [visit.tell(Done(word.ask)), *self._notifying.begin(visit, word.name)]

        ticket = self._desk.ticket(self._desk.after(visit, word.ask, done))
        return [AddSubscription(ticket, visit.peer, word.name, word.language, word.text, word.since)]

    def unsubscribe(self, visit: Visit, word: Unsubscribe) -> list[Effect]:
        guest = self._desk.guests[visit.peer]
        guest.names.discard(word.name)
        visit.flows.pop(word.name, None)
        then = self._desk.after(visit, word.ask, lambda now: self._desk.answer(visit, Done(word.ask)))
        return [RemoveSubscription(self._desk.ticket(then), visit.peer, word.name)]

    # Publishing

    def publish(self, visit: Visit, word: Publish) -> list[Effect]:
        def done(now: float, outcome: Outcome) -> list[Effect]:
            if isinstance(outcome, Stored):
                return self._desk.answer(visit, Accepted(word.ask, outcome.receipts))
            found = outcome if isinstance(outcome, Failed) else Failed("receipts", "none")
            if not self._desk.is_current(visit):
                return []
            return visit.refuse(word.ask, found.wanted, found.found, found.again)

        return [StoreEvents(self._desk.ticket(done), visit.peer, word.key, word.nquads)]

    # Advertisements

    def register(self, now: float, visit: Visit, word: Register) -> list[Effect]:
        guest = self._desk.guests[visit.peer]
        if guest.record.registration == word.rdf:
            self.renew(now, guest)
            return [visit.tell(Done(word.ask))]

        def done(now: float) -> list[Effect]:
            guest = self._desk.guests.get(visit.peer)
            if guest is None:
                return []
            self.renew(now, guest)
            return self._keep(guest, word.rdf, lambda now, _: self._desk.answer(visit, Done(word.ask)))

        return [Advertise(self._desk.ticket(self._desk.after(visit, word.ask, done)), visit.peer, word.rdf)]

    def withdraw(self, visit: Visit, word: Withdraw) -> list[Effect]:
        return self._unadvertise(self._desk.guests[visit.peer], lambda now, _: self._desk.answer(visit, Done(word.ask)))

    def renew(self, now: float, guest: Guest) -> None:
        """The advertisement counts from now."""
        self._desk.deadlines.set((ADVERTISEMENT, guest.id), now + self._desk.terms.registration_lasts)

    def expire(self, peer: str) -> list[Effect]:
        """An advertisement's time is up."""
        guest = self._desk.guests.get(peer)
        if guest is None or guest.visit is None or guest.record.registration is None:
            return []
        return self._unadvertise(guest, nothing)

    def _unadvertise(self, guest: Guest, then: Then) -> list[Effect]:
        return [Unadvertise(guest.id), *self._keep(guest, None, then)]

    def _keep(self, guest: Guest, registration: str | None, then: Then) -> list[Effect]:
        guest.record = msgspec.structs.replace(guest.record, registration=registration)
        return [KeepPeer(self._desk.ticket(then), guest.record)]
