"""An access point: what a super-peer does for its peers, as one state machine.

    receive(now, connection, data)       bytes from a peer
    disconnected(now, connection)        a connection is gone
    relayed(now, sender, body)           a message from another access point (effect `RelayReceived` of `SuperPeer`)
    notifications_available(now, peer, name)
                                         the outbox of a subscription has new notifications
    tell_rules(now, peer, body)          a body about rules, for a peer
    done(now, ticket, outcome)           the store has done what an effect asked for
    tick(now)                            every second or so

Each returns effects, to be done in order. `now` is in monotonic seconds that continue after a restart. Everything that
must survive goes through effects, and comes back as `saved`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from triplewire.errors import SessionRefused
from triplewire.network.sessions import access_point_messages, peer_messages
from triplewire.network.sessions.access_point.effects import (
    Effect,
    ForgetPointer,
    Outcome,
    PutAdvertisement,
    SendToAccessPoint,
    SendToPeer,
)
from triplewire.network.sessions.access_point.migration import POINTER, Migration
from triplewire.network.sessions.access_point.notifications import NotificationSender
from triplewire.network.sessions.access_point.owner_rendezvous import PENDING_UPLOAD, OwnerRendezvous
from triplewire.network.sessions.access_point.pending_requests import PENDING_REQUEST, PendingRequests
from triplewire.network.sessions.access_point.presence import ABSENCE, HANDSHAKE, SILENCE, Guard, Invited, Presence
from triplewire.network.sessions.access_point.publish_subscribe import ADVERTISEMENT, PublishSubscribe
from triplewire.network.sessions.access_point.records import AccessPointSettings, SavedAccessPoint
from triplewire.network.sessions.access_point.requester_rendezvous import FILE, REQUEST, RequesterRendezvous
from triplewire.network.sessions.access_point.rules import RuleBodies
from triplewire.network.sessions.access_point.state import AccessPointState, RegisteredPeer, Session, ignore_outcome
from triplewire.network.sessions.envelopes import MessageKind, Reason, clear, clear_body, kind_of
from triplewire.network.sessions.handshake import Randomness
from triplewire.network.sessions.identity import public_identifier, public_key_of
from triplewire.network.sessions.rule_data import RuleData

_CLEAR_BYTES = 4096


def _admit_anybody(connection: str, public_key: bytes) -> str:
    return ""


class AccessPoint:
    """`id` is its name among super-peers, `refusals` counts by reason.

    `guard` may reject peers. `invited` checks the invitation of a new peer; without it none is needed.
    """

    def __init__(
        self,
        private_key: bytes,
        randomness: Randomness,
        settings: AccessPointSettings | None = None,
        saved: SavedAccessPoint | None = None,
        *,
        id: str | None = None,  # noqa: A002  the domain's word
        guard: Guard = _admit_anybody,
        invited: Invited | None = None,
    ) -> None:
        self.id = id or public_identifier(public_key_of(private_key))
        self.refusals: Counter[str] = Counter()
        self._state = AccessPointState(self.id, settings or AccessPointSettings())
        self._saved = saved or SavedAccessPoint()
        pending_requests = PendingRequests(self._state)
        self._presence = Presence(self._state, private_key, randomness, self._arrived, guard, invited)
        self._notifications = NotificationSender(self._state)
        self._publish_subscribe = PublishSubscribe(self._state, self._notifications)
        self._requester_rendezvous = RequesterRendezvous(self._state, pending_requests)
        self._owner_rendezvous = OwnerRendezvous(self._state, pending_requests)
        self._rules = RuleBodies(self._state)
        self._migration = Migration(
            self._state, self._presence, self._notifications, self._requester_rendezvous, self._owner_rendezvous
        )
        self._message_handlers = self._handlers()
        self._deadline_handlers: dict[str, Callable[..., list[Effect]]] = {
            ABSENCE: self._forget,
            SILENCE: self._presence.disconnected,
            HANDSHAKE: lambda now, connection: self._presence.expire_handshake(connection),
            ADVERTISEMENT: lambda now, peer: self._publish_subscribe.expire(peer),
            REQUEST: self._requester_rendezvous.expire_request,
            FILE: lambda now, *key: self._requester_rendezvous.expire_file(*key),
            PENDING_UPLOAD: lambda now, *key: self._owner_rendezvous.drop(*key),
            POINTER: lambda now, peer: self._forget_pointer(peer),
            PENDING_REQUEST: lambda now, *key: pending_requests.time_out(key),
        }

    # Reading

    @property
    def peers(self) -> list[str]:
        """The identifiers of all registered peers."""
        return sorted(self._state.peers)

    @property
    def online(self) -> list[str]:
        """The identifiers of the peers that are on-line."""
        return sorted(session.peer for session in self._state.sessions.values())

    # Inputs

    def start(self, now: float) -> list[Effect]:
        """Continue where an earlier process stopped: every peer is off-line, and the indices are as they were."""
        saved = self._saved
        for known in saved.peers:
            registered = RegisteredPeer(known.record, set(known.subscriptions))
            registered.is_kept = True
            self._state.peers[registered.id] = registered
            self._presence.start_absence(registered, now if known.record.gone is None else known.record.gone)
        self._requester_rendezvous.load(saved.requests, saved.files)
        self._owner_rendezvous.load(saved.pending_uploads)
        for pointer in saved.pointers:
            self._state.pointers[pointer.peer] = pointer
            self._state.deadlines.set((POINTER, pointer.peer), pointer.since + self._state.settings.keep)
        advertised = [known.record for known in saved.peers if known.record.registration is not None]
        return [
            PutAdvertisement(self._state.ticket(ignore_outcome), one.id, one.registration or "") for one in advertised
        ]

    def receive(self, now: float, connection: str, data: bytes) -> list[Effect]:
        """Receive bytes over a connection. What is not authentic is refused, and never parsed."""
        try:
            effects = self._receive(now, connection, data)
        except SessionRefused as refusal:
            self.refusals[refusal.reason] += 1
            message = peer_messages.Refusal(refusal.reason, refusal.wanted, refusal.found[:200])
            return [SendToPeer(connection, clear(peer_messages.encode(message)))]
        return self._finish(now, effects)

    def disconnected(self, now: float, connection: str) -> list[Effect]:
        """A connection was closed."""
        return self._presence.disconnected(now, connection)

    def relayed(self, now: float, sender: str, body: bytes) -> list[Effect]:
        """Receive a message from another access point."""
        try:
            message = access_point_messages.decode(body)
        except SessionRefused as refusal:
            self.refusals[refusal.reason] += 1
            return []
        return self._finish(now, self._receive_relayed(now, sender, message))

    def notifications_available(self, now: float, peer: str, name: str) -> list[Effect]:
        """The outbox of a peer's subscription has new notifications."""
        return self._finish(now, self._notifications.notifications_available(peer, name))

    def tell_rules(self, now: float, peer: str, body: bytes) -> list[Effect]:
        """Send a body about rules to a peer; to one that is off-line, nothing. Raises `LimitExceeded`."""
        return self._rules.send(peer, body)

    def done(self, now: float, ticket: int, outcome: Outcome) -> list[Effect]:
        """The store reports the outcome of an effect."""
        return self._finish(now, self._state.done(now, ticket, outcome))

    def tick(self, now: float) -> list[Effect]:
        """Do what is due."""
        effects: list[Effect] = []
        for kind, *key in self._state.deadlines.due(now):
            effects += self._deadline_handlers[kind](now, *key)
        return self._finish(now, effects)

    # From bytes to messages

    def _receive(self, now: float, connection: str, data: bytes) -> list[Effect]:
        if kind_of(data) is MessageKind.CLEAR:
            return self._receive_handshake(now, connection, clear_body(data))
        session = self._state.sessions.get(connection)
        if session is None:
            raise SessionRefused(Reason.STRANGER, "a session on this connection", "none")
        message = peer_messages.decode_peer_message(session.channel.opener.open(data))
        self._presence.touch(now, session)
        if session.peer not in self._state.peers:
            raise SessionRefused(Reason.UNKNOWN, "a peer of this access point", "one that has moved")
        return self._message_handlers[type(message)](now, session, message)

    def _receive_handshake(self, now: float, connection: str, body: bytes) -> list[Effect]:
        if len(body) > _CLEAR_BYTES:
            raise SessionRefused(Reason.MALFORMED, f"at most {_CLEAR_BYTES} bytes of a handshake", f"{len(body)}")
        message = peer_messages.decode_handshake_message(body)
        if isinstance(message, peer_messages.Hello):
            return self._presence.send_challenge(now, connection, message)
        if isinstance(message, peer_messages.Proof):
            return self._presence.admit(connection, message)
        raise SessionRefused(Reason.MALFORMED, "a message that a peer begins with", type(message).__name__)

    def _handlers(self) -> dict[type, Callable[[float, Session, peer_messages.PeerMessage], list[Effect]]]:
        publish_subscribe, requester_rendezvous, owner_rendezvous = (
            self._publish_subscribe,
            self._requester_rendezvous,
            self._owner_rendezvous,
        )
        handlers: dict[type, Callable[..., list[Effect]]] = {
            peer_messages.KeepAlive: lambda now, session, message: [session.send(message)],
            peer_messages.Goodbye: lambda now, session, message: self._presence.go_offline(now, session),
            peer_messages.Register: publish_subscribe.register,
            peer_messages.Withdraw: lambda now, session, message: publish_subscribe.withdraw(session, message),
            peer_messages.Subscribe: lambda now, session, message: publish_subscribe.subscribe(session, message),
            peer_messages.Unsubscribe: lambda now, session, message: publish_subscribe.unsubscribe(session, message),
            peer_messages.Publish: lambda now, session, message: publish_subscribe.publish(session, message),
            peer_messages.NotificationAck: lambda now, session, message: self._notifications.received(session, message),
            peer_messages.Locate: owner_rendezvous.locate,
            peer_messages.RequestRendezvous: requester_rendezvous.request,
            peer_messages.Collect: lambda now, session, message: requester_rendezvous.collect(session, message),
            peer_messages.Collected: lambda now, session, message: requester_rendezvous.collected(session, message),
            peer_messages.Upload: owner_rendezvous.upload,
            peer_messages.Migrate: lambda now, session, message: self._migration.migrate(session, message),
            peer_messages.Moved: self._migration.moved,
            RuleData: lambda now, session, message: self._rules.receive(session, message),
            peer_messages.RuleRequest: lambda now, session, message: self._rules.request(session, message),
        }
        return handlers

    def _receive_relayed(self, now: float, sender: str, message: access_point_messages.Message) -> list[Effect]:
        match message:
            case access_point_messages.LocatePeer():
                return self._owner_rendezvous.locate_request(message)
            case access_point_messages.PeerLocation():
                return self._owner_rendezvous.location_received(message)
            case access_point_messages.RendezvousAsked():
                return self._owner_rendezvous.rendezvous_requested(now, message)
            case access_point_messages.RendezvousAnswered():
                return self._requester_rendezvous.answered(message)
            case access_point_messages.ResourceUploaded():
                return self._requester_rendezvous.uploaded(now, sender, message)
            case access_point_messages.UploadAnswered():
                return self._owner_rendezvous.uploaded(message)

    # Arriving and being forgotten

    def _arrived(self, now: float, session: Session) -> list[Effect]:
        """A peer is on-line: send what is pending, and restart the timer of its advertisement."""
        registered = self._state.peers[session.peer]
        self._publish_subscribe.renew(now, registered)
        pending = [effect for name in sorted(registered.names) for effect in self._notifications.begin(session, name)]
        return [*pending, *self._requester_rendezvous.arrived(session), *self._owner_rendezvous.arrived(session)]

    def expel(self, now: float, peer: str) -> list[Effect]:
        """Forget a peer at once, on-line or not."""
        return self._forget_peer(peer, self._presence.expel(peer))

    def _forget(self, now: float, peer: str) -> list[Effect]:
        return self._forget_peer(peer, self._presence.expire(now, peer))

    def _forget_peer(self, peer: str, effects: list[Effect]) -> list[Effect]:
        if effects:
            self._requester_rendezvous.forget(peer)
            self._owner_rendezvous.forget(peer)
        return effects

    def _forget_pointer(self, peer: str) -> list[Effect]:
        return [] if self._state.pointers.pop(peer, None) is None else [ForgetPointer(peer)]

    def _finish(self, now: float, effects: list[Effect]) -> list[Effect]:
        """Report drained migrations; and deliver messages to this access point itself at once."""
        effects = [*effects, *self._migration.progress()]
        settled: list[Effect] = []
        for effect in effects:
            if isinstance(effect, SendToAccessPoint) and effect.to == self.id:
                settled += self.relayed(now, self.id, effect.body)
            else:
                settled.append(effect)
        return settled
