"""A peer's own program, as a state machine: it keeps a session with its access point, and moves to another.

What arrives is handed out with `NotificationReceived`, `NotificationsLost`, `FileReceived` and `UploadNeeded`; the
shell calls `notification_saved`, `loss_saved`, `file_saved` and `upload` when it is on disk, and only then is it
acknowledged. Notifications may come twice, also over two access points while a peer moves: the shell drops repeats by
(name, event).

`access_point.migration` describes the other end of a move.
"""

from __future__ import annotations

from functools import partial

from triplewire.errors import SessionRefused
from triplewire.network.sessions import peer_messages
from triplewire.network.sessions.envelopes import Reason
from triplewire.network.sessions.handshake import Randomness
from triplewire.network.sessions.peer.connection import Connection
from triplewire.network.sessions.peer.connections import Connections, ConnectionTimings
from triplewire.network.sessions.peer.effects import (
    Effect,
    FileReceived,
    NotificationReceived,
    NotificationsLost,
    Rejected,
    RulesNotTaken,
    RulesReceived,
    SessionBegun,
    UploadNeeded,
)
from triplewire.network.sessions.peer.saved_state import (
    AccessPointInfo,
    PeerKeys,
    ResourceRequest,
    SavedPeer,
    SubscriptionQuery,
)
from triplewire.network.sessions.peer.state import PeerState
from triplewire.network.sessions.rule_data import RuleData

# What an attacker can cause with forged messages must not end a session.
_FORGED = (Reason.REPLAY, Reason.TAG, Reason.SESSION)


class Peer:
    """A connection to the present access point, and one to each previous one that is not released."""

    def __init__(
        self, keys: PeerKeys, saved: SavedPeer, randomness: Randomness, timings: ConnectionTimings | None = None
    ) -> None:
        self.id = keys.id
        self._connections = Connections(keys, randomness, timings or ConnectionTimings())
        self._state = PeerState(saved, self._connections)
        self._migrating: set[str] = set()

    @property
    def saved_state(self) -> SavedPeer:
        return self._state.saved_state

    @property
    def is_online(self) -> bool:
        """Whether the session with the present access point has begun."""
        return self._connections.is_open(self.saved_state.at)

    # Start, move, stop

    def start(self, now: float) -> list[Effect]:
        """Connect to the present access point, and to the previous ones."""
        self._connect(now, self.saved_state.at)
        for previous in self.saved_state.previous:
            self._connect(now, previous.access_point)
        return self._connections.take_effects()

    def move(self, now: float, access_point: AccessPointInfo) -> list[Effect]:
        """Connect to another access point, and drain the last one."""
        before = self.saved_state.at
        self._state.save(self.saved_state.moving_to(access_point))
        for known in (before, access_point):
            self._connections.disconnect(now, known)
        self._connect(now, access_point)
        if before.id != access_point.id:
            self._connect(now, before)
        return self._connections.take_effects()

    def stop(self, now: float) -> list[Effect]:
        """Go off-line."""
        for access_point in self._connections.access_points():
            self._connections.send(now, access_point, peer_messages.Goodbye())
            self._connections.disconnect(now, access_point)
        return self._connections.take_effects()

    def _connect(self, now: float, access_point: AccessPointInfo) -> None:
        self._connections.connect(
            now, access_point, self.saved_state.address, is_known=access_point.id != self.saved_state.at.id
        )

    # Requests to the present access point; the answer comes as `RequestAnswered`, with the token

    def subscribe(self, now: float, token: str, name: str, query: SubscriptionQuery) -> list[Effect]:
        self._state.subscribe(now, token, name, query)
        return self._connections.take_effects()

    def unsubscribe(self, now: float, token: str, name: str) -> list[Effect]:
        self._state.unsubscribe(now, token, name)
        return self._connections.take_effects()

    def register(self, now: float, token: str, rdf: str | None) -> list[Effect]:
        """Advertise what this peer will publish; None withdraws it."""
        self._state.register(now, token, rdf)
        return self._connections.take_effects()

    def publish(self, now: float, token: str, nquads: bytes) -> list[Effect]:
        """Publish events; the token makes sure that they are published once."""
        self._state.send_request(now, partial(peer_messages.Publish, token, nquads), token)
        return self._connections.take_effects()

    def locate(self, now: float, token: str, owner: str, access_point: str) -> list[Effect]:
        """Locate the owner of a resource."""
        self._state.send_request(now, partial(peer_messages.Locate, owner, access_point), token)
        return self._connections.take_effects()

    def request(self, now: float, token: str, resource: ResourceRequest) -> list[Effect]:
        """Request a rendezvous with a resource, identified by the token."""
        self._state.request(now, token, resource)
        return self._connections.take_effects()

    def ask_rules(self, now: float, token: str, body: bytes) -> list[Effect]:
        """Ask the super-peer something about rules; the token makes sure that it is done once."""
        self._state.send_request(now, partial(peer_messages.RuleRequest, token, body), token)
        return self._connections.take_effects()

    # Rules

    def tell_rules(self, now: float, body: bytes) -> list[Effect]:
        """Send a body about rules, if the session has begun. Raises `LimitExceeded`."""
        at = self.saved_state.at
        connection = self._connections.open_connection(at)
        if connection is not None:
            for part in connection.outgoing_rules.parts(body):
                self._connections.send(now, at, part)
        return self._connections.take_effects()

    # Acknowledgements of the shell

    def notification_saved(self, now: float, connection: str, message: peer_messages.Notification) -> list[Effect]:
        """A notification is on disk."""
        self._send(now, connection, peer_messages.NotificationAck(message.name, message.flow, message.position))
        return self._connections.take_effects()

    def loss_saved(self, now: float, connection: str, message: peer_messages.Missed) -> list[Effect]:
        """A gap is on disk."""
        self._send(now, connection, peer_messages.NotificationAck(message.name, message.flow, message.until))
        return self._connections.take_effects()

    def file_saved(self, now: float, connection: str, message: peer_messages.Resource) -> list[Effect]:
        """A rendezvous file is on disk."""
        self._state.request_done(message.id)
        self._send(now, connection, peer_messages.Collected(message.id))
        return self._connections.take_effects()

    def upload(
        self, now: float, connection: str, wanted: peer_messages.UploadRequested, content: bytes, problem: str = ""
    ) -> list[Effect]:
        """Upload a requested resource, or the reason why there is none."""
        found = self._connections.connection_named(connection)
        if found is not None:
            make = partial(peer_messages.Upload, wanted.requester, wanted.id, content, problem)
            self._connections.send_request(now, found.access_point, make, _ignore_answer)
        return self._connections.take_effects()

    def _send(self, now: float, connection: str, message: peer_messages.PeerMessage) -> None:
        found = self._connections.connection_named(connection)
        if found is not None:
            self._connections.send(now, found.access_point, message)

    # From the network

    def receive(self, now: float, connection: str, data: bytes) -> list[Effect]:
        """Receive bytes over a connection."""
        found = self._connections.connection_named(connection)
        if found is None:
            return []
        try:
            message = found.receive(now, data)
        except SessionRefused as problem:
            self._refused(now, found, problem)
        else:
            self._connections.flush(connection)
            if message is not None and not self._connections.answered(now, found.access_point, message):
                self._handle(now, found, message)
        return self._connections.take_effects()

    def lost(self, now: float, connection: str) -> list[Effect]:
        """A connection broke."""
        found = self._connections.connection_named(connection)
        if found is not None:
            self._connections.reconnect(now, found.access_point, self.saved_state.address)
        return self._connections.take_effects()

    def tick(self, now: float) -> list[Effect]:
        """Do what is due."""
        self._connections.tick(now, self.saved_state.address)
        if self.is_online:
            self._state.renew(now)
        return self._connections.take_effects()

    def _refused(self, now: float, connection: Connection, problem: SessionRefused) -> None:
        if connection.access_point.id != self.saved_state.at.id and problem.reason == Reason.UNKNOWN:
            self._released(now, connection.access_point)
            return
        self._connections.add_effects(Rejected(connection.access_point, problem))
        if problem.reason not in _FORGED or not connection.is_open:
            self._connections.reconnect(now, connection.access_point, self.saved_state.address)

    # Messages of an access point

    def _handle(self, now: float, connection: Connection, message: peer_messages.AccessPointMessage) -> None:
        match message:
            case peer_messages.Welcome():
                self._welcomed(now, connection.access_point, message)
            case peer_messages.Notification():
                self._connections.add_effects(NotificationReceived(connection.name, message))
            case peer_messages.Missed():
                self._connections.add_effects(NotificationsLost(connection.name, connection.access_point, message))
            case peer_messages.Ready():
                self._connections.send_request(
                    now, connection.access_point, partial(peer_messages.Collect, message.id), _ignore_answer
                )
            case peer_messages.Resource():
                self._connections.add_effects(FileReceived(connection.name, message))
            case peer_messages.UploadRequested():
                self._connections.add_effects(UploadNeeded(connection.name, message))
            case RuleData() | peer_messages.RuleDataRefused() if connection.access_point.id == self.saved_state.at.id:
                self._handle_rules(connection, message)

    def _handle_rules(self, connection: Connection, message: RuleData | peer_messages.RuleDataRefused) -> None:
        if isinstance(message, peer_messages.RuleDataRefused):
            self._connections.add_effects(RulesNotTaken(message.wanted, message.found))
        elif (body := connection.incoming_rules.add(message)) is not None:
            self._connections.add_effects(RulesReceived(body))

    def _welcomed(self, now: float, access_point: AccessPointInfo, message: peer_messages.Welcome) -> None:
        if access_point.id != self.saved_state.at.id:
            self._connections.drop_requests(access_point)
            self._leave(now, access_point)
            return
        self._state.welcomed(message)
        self._connections.resend_requests(now, access_point)
        self._state.restore(now, message.subscriptions)
        self._connections.add_effects(SessionBegun(message.access_point))
        for previous in self.saved_state.previous:
            self._leave(now, previous.access_point)

    # Leaving a previous access point

    def _leave(self, now: float, access_point: AccessPointInfo) -> None:
        """Start to drain a previous access point, once the session with the present one has begun."""
        connection = self._connections.open_connection(access_point)
        if connection is None or not self.saved_state.access_point or connection.name in self._migrating:
            return
        self._migrating = {
            *[name for name in self._migrating if self._connections.connection_named(name)],
            connection.name,
        }
        self._connections.send_request(
            now,
            access_point,
            partial(peer_messages.Migrate, self.saved_state.access_point),
            partial(self._drained, access_point),
        )

    def _drained(self, access_point: AccessPointInfo, now: float, message: peer_messages.AccessPointMessage) -> None:
        if isinstance(message, peer_messages.Drained):
            self._state.save(self.saved_state.drained(access_point.id, message.watermarks))
            self._connections.send_request(now, access_point, peer_messages.Moved, partial(self._moved, access_point))

    def _moved(self, access_point: AccessPointInfo, now: float, message: peer_messages.AccessPointMessage) -> None:
        if isinstance(message, peer_messages.Done):
            self._released(now, access_point)

    def _released(self, now: float, access_point: AccessPointInfo) -> None:
        """A previous access point has released this peer."""
        self._connections.disconnect(now, access_point)
        self._state.save(self.saved_state.released(access_point.id))
        self._state.resubscribe(now)


def _ignore_answer(now: float, message: peer_messages.AccessPointMessage) -> None:
    """The continuation of an answer that changes nothing."""
