"""Outgoing connections of a super-peer, one for each address.

Sending never waits. What cannot be sent now (not connected yet, or the other end does not read) is held for a moment,
under a bound; beyond that the oldest is dropped: links retransmit. ZeroMQ reconnects by itself, with backoff. An idle
connection is closed; neighbours send a heartbeat every second, so theirs stay.
"""

from __future__ import annotations

from collections import Counter, deque

import zmq
import zmq.asyncio

from triplewire.node.transport.addresses import is_address
from triplewire.node.transport.keys import KeyPair
from triplewire.node.transport.message_codec import MOST_BYTES
from triplewire.system.curve_sockets import connect, identify

IDLE_SECONDS = 60.0
HELD_SECONDS = 2.0
_HELD = 1_000
_HIGH_WATER = 1_000
# Nothing is received on an outgoing connection.
_MOST_ANSWER = 1_024
_OPTIONS = {
    zmq.IMMEDIATE: 1,
    zmq.SNDHWM: _HIGH_WATER,
    zmq.RCVHWM: 1,
    zmq.MAXMSGSIZE: _MOST_ANSWER,
    zmq.RECONNECT_IVL: 100,
    zmq.RECONNECT_IVL_MAX: 5_000,
    zmq.CONNECT_TIMEOUT: 3_000,
    zmq.HEARTBEAT_IVL: 2_000,
    zmq.HEARTBEAT_TIMEOUT: 6_000,
    zmq.LINGER: 0,
}


class OutgoingConnections:
    """All outgoing connections of one super-peer. `dropped` counts what was not sent, by reason."""

    def __init__(self, context: zmq.asyncio.Context, own: KeyPair, server_key: bytes) -> None:
        self._context = context
        self._own = own
        self._server_key = server_key
        self._connections: dict[str, OutgoingConnection] = {}
        self.dropped: Counter[str] = Counter()

    def send(self, address: str, data: bytes, now: float) -> bool:
        """Send, or hold, or drop. Returns whether something is held."""
        connection = self._connections.get(address)
        if connection is None:
            if not is_address(address):
                self.dropped["address"] += 1
                return False
            connection = self._connections[address] = OutgoingConnection(self._connect(address))
        self.dropped["held"] += connection.send(data, now)
        return connection.held > 0

    def flush(self, now: float) -> bool:
        """Send what is held, as far as it goes; whether some still is."""
        for connection in self._connections.values():
            self.dropped["held"] += connection.flush(now)
        return any(connection.held for connection in self._connections.values())

    def close_idle(self, now: float) -> None:
        """Close idle connections."""
        for address, connection in list(self._connections.items()):
            if now - connection.used > IDLE_SECONDS:
                connection.close(0)
                del self._connections[address]

    def close(self, linger: int) -> None:
        """Close all; what was sent may take so many milliseconds to be delivered."""
        for connection in self._connections.values():
            connection.close(linger)
        self._connections.clear()

    def __contains__(self, address: str) -> bool:
        return address in self._connections

    def _connect(self, address: str) -> zmq.Socket[bytes]:
        socket = dealer(self._context, self._own, self._server_key)
        connect(socket, address)
        return socket


def dealer(context: zmq.asyncio.Context, own: KeyPair, server_key: bytes) -> zmq.Socket[bytes]:
    """A socket for a connection, not connected yet."""
    socket: zmq.Socket[bytes] = zmq.Socket(context, zmq.DEALER)
    identify(socket, own, server_key, _OPTIONS)
    return socket


class OutgoingConnection:
    """One connection: a socket, and what it could not take yet."""

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        self._socket = socket
        self._held: deque[tuple[float, bytes]] = deque()
        self._bytes = 0
        self.used = 0.0

    def send(self, data: bytes, now: float) -> int:
        """Send or hold. Returns how many were dropped to make room."""
        self.used = now
        if not self._held and self._try_send(data):
            return 0
        self._held.append((now, data))
        self._bytes += len(data)
        dropped = 0
        while len(self._held) > _HELD or (self._bytes > MOST_BYTES and len(self._held) > 1):
            self._drop()
            dropped += 1
        return dropped

    def flush(self, now: float) -> int:
        """Send what is held, oldest first. Returns how many were dropped because they are too old."""
        dropped = 0
        while self._held:
            held, data = self._held[0]
            if now - held > HELD_SECONDS:
                dropped += 1
            elif not self._try_send(data):
                break
            self._drop()
        return dropped

    @property
    def held(self) -> int:
        return len(self._held)

    def close(self, linger: int) -> None:
        self._socket.close(linger)

    def _drop(self) -> None:
        self._bytes -= len(self._held.popleft()[1])

    def _try_send(self, data: bytes) -> bool:
        try:
            self._socket.send(data, zmq.NOBLOCK)
        except zmq.Again:
            return False
        return True
