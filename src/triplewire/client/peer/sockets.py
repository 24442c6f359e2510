"""The sockets of a peer, over ZeroMQ with CURVE: one for each connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import zmq
import zmq.asyncio

from triplewire.network.sessions.identity import curve_private_key, curve_public_key, public_key_of
from triplewire.network.sessions.peer.saved_state import AccessPointInfo, PeerKeys
from triplewire.system.curve_sockets import CurveKeys, connect, identify, send_now
from triplewire.system.supervisor import Supervisor

OnReceived = Callable[[str, bytes], None]
_MOST_BYTES = 64 << 20
_OPTIONS = {
    zmq.LINGER: 500,
    zmq.MAXMSGSIZE: _MOST_BYTES,
    zmq.CONNECT_TIMEOUT: 3_000,
    zmq.RECONNECT_IVL: 200,
    zmq.RECONNECT_IVL_MAX: 5_000,
    zmq.HEARTBEAT_IVL: 5_000,
}


class PeerSockets:
    """Sockets by connection. The peer's key pair is also its CURVE key, so the access point verifies it at once."""

    def __init__(self, keys: PeerKeys, received: OnReceived) -> None:
        public_key = curve_public_key(public_key_of(keys.private_key))
        self._keys = CurveKeys(public_key, curve_private_key(keys.private_key))
        self._received = received
        self._context = zmq.asyncio.Context()
        self._sockets: dict[str, zmq.asyncio.Socket] = {}
        self._tasks = Supervisor()

    def connect(self, connection: str, access_point: AccessPointInfo) -> None:
        """Begin to connect; what is sent meanwhile is queued."""
        socket = self._context.socket(zmq.DEALER)
        identify(socket, self._keys, curve_public_key(access_point.public_key), _OPTIONS)
        connect(socket, access_point.address)
        self._sockets[connection] = socket
        self._tasks.start(f"connection {connection}", self._receive(connection, socket))

    def send(self, connection: str, data: bytes) -> None:
        """Send, if the socket is there and takes it; requests are repeated anyway."""
        socket = self._sockets.get(connection)
        if socket is not None:
            send_now(socket, data)

    def disconnect(self, connection: str) -> None:
        """Close a socket; what was sent just before is still delivered."""
        socket = self._sockets.pop(connection, None)
        if socket is not None:
            self._tasks.cancel(f"connection {connection}")
            socket.close()

    async def close(self) -> None:
        """Close all sockets, and give what was sent last a moment."""
        for connection in list(self._sockets):
            self.disconnect(connection)
        await self._tasks.stop()
        await asyncio.to_thread(self._context.term)

    async def _receive(self, connection: str, socket: zmq.asyncio.Socket) -> None:
        # A received message may close the socket.
        while not socket.closed:
            self._received(connection, await socket.recv())
