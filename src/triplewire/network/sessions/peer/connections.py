"""A peer's connections: one to each access point in use. They break, and are opened again."""

from __future__ import annotations

from msgspec import Struct

from triplewire.network.sessions.handshake import Randomness
from triplewire.network.sessions.peer.connection import Connection
from triplewire.network.sessions.peer.effects import Connect, Disconnect, Effect, SendBytes
from triplewire.network.sessions.peer.requests import MakeRequest, OnAnswer, OpenRequests
from triplewire.network.sessions.peer.saved_state import AccessPointInfo, PeerKeys
from triplewire.network.sessions.peer_messages import AccessPointMessage, KeepAlive, PeerMessage


class ConnectionTimings(Struct, frozen=True):
    """Intervals in seconds: a keep-alive is sent every `keep_alive`, a request again after `retry_after`."""

    keep_alive: float = 5.0
    retry_after: float = 5.0
    timeout: float = 20.0


class AccessPointContact(Struct):
    """The connection with one access point, and the requests to it."""

    access_point: AccessPointInfo
    is_known: bool
    requests: OpenRequests
    connection: Connection | None = None
    retry_at: float | None = None


class Connections:
    """Connections by name, and effects in order."""

    def __init__(self, keys: PeerKeys, randomness: Randomness, timings: ConnectionTimings) -> None:
        self._keys = keys
        self._randomness = randomness
        self._timings = timings
        self._contacts: dict[str, AccessPointContact] = {}
        self._count = 0
        self._effects: list[Effect] = []

    def add_effects(self, *effects: Effect) -> None:
        """Append effects."""
        self._effects += effects

    def take_effects(self) -> list[Effect]:
        """Take all effects."""
        taken, self._effects = self._effects, []
        return taken

    def connection_named(self, name: str) -> Connection | None:
        """The connection of that name, if it is still in use."""
        return next(
            (
                contact.connection
                for contact in self._contacts.values()
                if contact.connection and contact.connection.name == name
            ),
            None,
        )

    def open_connection(self, access_point: AccessPointInfo) -> Connection | None:
        """The connection with an access point, if its session has begun."""
        contact = self._contacts.get(access_point.id)
        return (
            contact.connection
            if contact is not None and contact.connection is not None and contact.connection.is_open
            else None
        )

    def is_open(self, access_point: AccessPointInfo) -> bool:
        return self.open_connection(access_point) is not None

    # Connecting

    def connect(self, now: float, access_point: AccessPointInfo, address: str, is_known: bool) -> None:
        """Keep a connection with an access point, from now on."""
        contact = self._contacts.setdefault(access_point.id, AccessPointContact(access_point, is_known, OpenRequests()))
        contact.access_point, contact.is_known = access_point, is_known
        self._open(now, contact, address)

    def _open(self, now: float, contact: AccessPointContact, address: str) -> None:
        self._close(contact)
        self._count += 1
        contact.retry_at = None
        contact.connection = Connection(
            str(self._count), contact.access_point, self._keys, self._randomness, address, contact.is_known
        )
        contact.connection.begin(now)
        self.add_effects(Connect(contact.connection.name, contact.access_point))
        self._flush(contact.connection)

    def reconnect(self, now: float, access_point: AccessPointInfo, address: str) -> None:
        """Open a connection again: at once if it worked before, else after a delay."""
        contact = self._contacts.get(access_point.id)
        if contact is None or contact.connection is None:
            return
        if contact.connection.is_open:
            self._open(now, contact, address)
        else:
            self._close(contact)
            contact.retry_at = now + self._timings.retry_after

    def disconnect(self, now: float, access_point: AccessPointInfo) -> None:
        """Close the connection with an access point, and cancel its requests."""
        contact = self._contacts.pop(access_point.id, None)
        if contact is not None:
            self._close(contact)
            contact.requests.cancel_all(now)

    def _close(self, contact: AccessPointContact) -> None:
        if contact.connection is not None:
            self.add_effects(Disconnect(contact.connection.name))
            contact.connection = None

    def access_points(self) -> list[AccessPointInfo]:
        return [contact.access_point for contact in self._contacts.values()]

    # Messages

    def send(self, now: float, access_point: AccessPointInfo, message: PeerMessage) -> None:
        """Send a message, if the session has begun; otherwise it is dropped."""
        contact = self._contacts.get(access_point.id)
        if contact is not None and contact.connection is not None:
            contact.connection.send(now, message)
            self._flush(contact.connection)

    def send_request(self, now: float, access_point: AccessPointInfo, make: MakeRequest, then: OnAnswer) -> None:
        """Send a request until it is answered."""
        contact = self._contacts.get(access_point.id)
        if contact is not None:
            self.send(now, access_point, contact.requests.add(now, make, then))

    def resend_requests(self, now: float, access_point: AccessPointInfo) -> None:
        """Send all open requests, over a session that has just begun."""
        contact = self._contacts[access_point.id]
        for message in contact.requests.overdue(now, 0.0):
            self.send(now, access_point, message)

    def drop_requests(self, access_point: AccessPointInfo) -> None:
        """Drop the requests to an access point."""
        self._contacts[access_point.id].requests = OpenRequests()

    def answered(self, now: float, access_point: AccessPointInfo, message: AccessPointMessage) -> bool:
        """Pass an answer to its request; whether the message was one."""
        return self._contacts[access_point.id].requests.answered(now, message)

    def flush(self, name: str) -> None:
        """Send the outgoing messages of a connection."""
        connection = self.connection_named(name)
        if connection is not None:
            self._flush(connection)

    def _flush(self, connection: Connection) -> None:
        outgoing, connection.outgoing = connection.outgoing, []
        self.add_effects(*[SendBytes(connection.name, data) for data in outgoing])

    def tick(self, now: float, address: str) -> None:
        """Send keep-alives and overdue requests, and open connections again that timed out."""
        for contact in list(self._contacts.values()):
            if contact.connection is None:
                if contact.retry_at is not None and now >= contact.retry_at:
                    self._open(now, contact, address)
            elif now - contact.connection.received_at >= (
                self._timings.timeout if contact.connection.is_open else self._timings.retry_after
            ):
                self._open(now, contact, address)
            elif contact.connection.is_open:
                self._send_due(now, contact, contact.connection)

    def _send_due(self, now: float, contact: AccessPointContact, connection: Connection) -> None:
        for message in contact.requests.overdue(now, self._timings.retry_after):
            self.send(now, contact.access_point, message)
        if now - connection.sent_at >= self._timings.keep_alive:
            self.send(now, contact.access_point, KeepAlive())
