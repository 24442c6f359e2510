"""Publish/subscribe for peers: their subscriptions, advertisements and events.

An advertisement expires if a peer that is on-line does not repeat it. One that is off-line cannot repeat it: as long as
it is registered, the indices do not change.
"""

from __future__ import annotations

import msgspec

from triplewire.network.sessions.access_point.effects import (
    AddSubscription,
    Effect,
    Failed,
    KeepPeer,
    Outcome,
    PutAdvertisement,
    RemoveAdvertisement,
    RemoveSubscription,
    Stored,
    StoreEvents,
)
from triplewire.network.sessions.access_point.notifications import NotificationSender
from triplewire.network.sessions.access_point.state import (
    AccessPointState,
    Continuation,
    RegisteredPeer,
    Session,
    ignore_outcome,
)
from triplewire.network.sessions.peer_messages import (
    Done,
    EventsAccepted,
    Publish,
    Register,
    Subscribe,
    Unsubscribe,
    Withdraw,
)

ADVERTISEMENT = "advertisement"


class PublishSubscribe:
    """Subscribes, advertises and publishes for peers."""

    def __init__(self, state: AccessPointState, notifications: NotificationSender) -> None:
        self._state = state
        self._notifications = notifications

    # Subscriptions

    def subscribe(self, session: Session, message: Subscribe) -> list[Effect]:
        def done(now: float) -> list[Effect]:
            registered = self._state.peers.get(session.peer)
            if registered is not None:
                registered.names.add(message.name)
            if not self._state.is_current(session):
                return []
            if message.since is not None:
                # It may begin before the position that was read.
                session.flows.pop(message.name, None)
            return [session.send(Done(message.request_id)), *self._notifications.begin(session, message.name)]

        ticket = self._state.ticket(self._state.on_success(session, message.request_id, done))
        return [AddSubscription(ticket, session.peer, message.name, message.language, message.text, message.since)]

    def unsubscribe(self, session: Session, message: Unsubscribe) -> list[Effect]:
        registered = self._state.peers[session.peer]
        registered.names.discard(message.name)
        session.flows.pop(message.name, None)
        then = self._state.on_success(
            session, message.request_id, lambda now: self._state.reply(session, Done(message.request_id))
        )
        return [RemoveSubscription(self._state.ticket(then), session.peer, message.name)]

    # Publishing

    def publish(self, session: Session, message: Publish) -> list[Effect]:
        def done(now: float, outcome: Outcome) -> list[Effect]:
            if isinstance(outcome, Stored):
                return self._state.reply(session, EventsAccepted(message.request_id, outcome.receipts))
            found = outcome if isinstance(outcome, Failed) else Failed("receipts", "none")
            if not self._state.is_current(session):
                return []
            return session.refuse(message.request_id, found.wanted, found.found, found.again)

        return [StoreEvents(self._state.ticket(done), session.peer, message.key, message.nquads)]

    # Advertisements

    def register(self, now: float, session: Session, message: Register) -> list[Effect]:
        registered = self._state.peers[session.peer]
        if registered.record.registration == message.rdf:
            self.renew(now, registered)
            return [session.send(Done(message.request_id))]

        def done(now: float) -> list[Effect]:
            registered = self._state.peers.get(session.peer)
            if registered is None:
                return []
            self.renew(now, registered)
            return self._keep_registration(
                registered, message.rdf, lambda now, _: self._state.reply(session, Done(message.request_id))
            )

        return [
            PutAdvertisement(
                self._state.ticket(self._state.on_success(session, message.request_id, done)), session.peer, message.rdf
            )
        ]

    def withdraw(self, session: Session, message: Withdraw) -> list[Effect]:
        return self._unadvertise(
            self._state.peers[session.peer], lambda now, _: self._state.reply(session, Done(message.request_id))
        )

    def renew(self, now: float, registered: RegisteredPeer) -> None:
        """Restart the timer of an advertisement."""
        self._state.deadlines.set((ADVERTISEMENT, registered.id), now + self._state.settings.registration_lasts)

    def expire(self, peer: str) -> list[Effect]:
        """Withdraw an advertisement that was not repeated in time."""
        registered = self._state.peers.get(peer)
        if registered is None or registered.session is None or registered.record.registration is None:
            return []
        return self._unadvertise(registered, ignore_outcome)

    def _unadvertise(self, registered: RegisteredPeer, then: Continuation) -> list[Effect]:
        return [RemoveAdvertisement(registered.id), *self._keep_registration(registered, None, then)]

    def _keep_registration(
        self, registered: RegisteredPeer, registration: str | None, then: Continuation
    ) -> list[Effect]:
        registered.record = msgspec.structs.replace(registered.record, registration=registration)
        return [KeepPeer(self._state.ticket(then), registered.record)]
