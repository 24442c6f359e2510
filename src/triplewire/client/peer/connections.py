"""A peer's connections, over ZeroMQ with CURVE: one socket for each line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

import zmq
import zmq.asyncio
from zmq.utils import z85

from triplewire.network.sessions.identity import curve_private_key, curve_public_key, public_key_of
from triplewire.network.sessions.peer.memory import Keys, Place
from triplewire.system.supervisor import Supervisor

Received = Callable[[str, bytes], None]
_MOST_BYTES = 64 << 20
_OPTIONS = (
    (zmq.LINGER, 500),
    (zmq.MAXMSGSIZE, _MOST_BYTES),
    (zmq.CONNECT_TIMEOUT, 3_000),
    (zmq.HANDSHAKE_IVL, 5_000),
    (zmq.RECONNECT_IVL, 200),
    (zmq.RECONNECT_IVL_MAX, 5_000),
    (zmq.HEARTBEAT_IVL, 5_000),
    (zmq.TCP_KEEPALIVE, 1),
)


class Connections:
    """Lines by name. The peer's key pair is that of CURVE too, so the access point knows it before a word is said."""

    def __init__(self, keys: Keys, received: Received) -> None:
        self._public = z85.encode(curve_public_key(public_key_of(keys.private_key)))
        self._private = z85.encode(curve_private_key(keys.private_key))
        self._received = received
        self._context = zmq.asyncio.Context()
        self._lines: dict[str, zmq.asyncio.Socket] = {}
        self._tasks = Supervisor()

    def dial(self, line: str, place: Place) -> None:
        """Begin to connect; what is sent meanwhile waits."""
        socket = self._context.socket(zmq.DEALER)
        for option, value in _OPTIONS:
            socket.set(option, value)
        socket.set(zmq.IPV6, int(place.address.startswith("tcp://[")))
        socket.curve_serverkey = z85.encode(curve_public_key(place.public_key))
        socket.curve_publickey, socket.curve_secretkey = self._public, self._private
        socket.connect(place.address)
        self._lines[line] = socket
        self._tasks.start(f"line {line}", self._receive(line, socket))

    def send(self, line: str, data: bytes) -> None:
        """Send, if the line is there and takes it; whoever asks for something asks again."""
        socket = self._lines.get(line)
        if socket is not None:
            with suppress(zmq.ZMQError):
                zmq.Socket.shadow(socket).send(data, zmq.NOBLOCK)

    def hang_up(self, line: str) -> None:
        """Close; what was sent just before still leaves."""
        socket = self._lines.pop(line, None)
        if socket is not None:
            self._tasks.cancel(f"line {line}")
            socket.close()

    async def close(self) -> None:
        """Close all, and give what was sent last a moment."""
        for line in list(self._lines):
            self.hang_up(line)
        await self._tasks.stop()
        await asyncio.to_thread(self._context.term)

    async def _receive(self, line: str, socket: zmq.asyncio.Socket) -> None:
        # What is received may be cause to hang up.
        while not socket.closed:
            self._received(line, await socket.recv())
