"""The socket of an access point's peers: ZeroMQ with CURVE, guarded by the super-peer's own key.

Whoever knows the key may say something; who it is, sessions find out. A connection is known by the client's CURVE key,
which the handshake of CURVE has proven (`zap`), and by ZeroMQ's own name for it.

Resource handling: a message has at most so many bytes; queues are bounded, and a peer that does not read is cut off.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import zmq
import zmq.asyncio
from zmq.utils import z85

from triplewire.errors import NetworkError
from triplewire.network.sessions.identity import curve_private_key, curve_public_key
from triplewire.node.transport.addresses import is_ipv6
from triplewire.node.transport.keys import member_of
from triplewire.node.transport.zap import DOMAIN, NAME, Doorkeeper
from triplewire.system.supervisor import Supervisor

_log = logging.getLogger(__name__)

Receiver = Callable[[str, bytes], None]
_HIGH_WATER = 1_000
_BACKLOG = 256
_OVERHEAD = 4_096
_BATCH = 50
_PARTS = 2


class PeersSocket:
    """Make it on an event loop, `listen`, `start` it with whoever receives, and `stop` it."""

    def __init__(self, private_key: bytes, most_bytes: int) -> None:
        self._context = zmq.asyncio.Context()
        self._doorkeeper = Doorkeeper(self._context)
        self._router = self._listener(private_key, most_bytes)
        self._plain: zmq.Socket[bytes] = zmq.Socket.shadow(self._router)
        self._tasks = Supervisor()
        self._may_read = asyncio.Event()
        self._may_read.set()
        self.address = ""

    def listen(self, address: str) -> None:
        """Listen there. Port 0 is a free one; `address` then has it."""
        self._doorkeeper.start()
        self._router.set(zmq.IPV6, int(is_ipv6(address)))
        try:
            self._router.bind(address)
        except zmq.ZMQError as error:
            raise NetworkError(f"cannot listen on {address} for peers: {error.strerror}") from None
        self.address = str(self._router.get_string(zmq.LAST_ENDPOINT)).rstrip("\0")

    def start(self, receiver: Receiver) -> None:
        """Hand over what arrives."""
        self._tasks.start("peers receiving", self._receive(receiver))

    def send(self, connection: str, data: bytes) -> bool:
        """Send a message; whether the connection is there and takes it."""
        try:
            self._plain.send_multipart([_routing(connection), data], zmq.NOBLOCK, copy=False)
        except zmq.ZMQError:
            return False
        return True

    def pause(self) -> None:
        """Read no more until `resume`."""
        self._may_read.clear()

    def resume(self) -> None:
        self._may_read.set()

    async def stop(self) -> None:
        """Let go of everything."""
        await self._tasks.stop()
        self._router.close(0)
        await self._doorkeeper.stop()
        await asyncio.to_thread(self._context.term)

    def _listener(self, private_key: bytes, most_bytes: int) -> zmq.asyncio.Socket:
        socket = self._context.socket(zmq.ROUTER)
        socket.curve_server = True
        socket.curve_secretkey = z85.encode(curve_private_key(private_key))
        socket.zap_domain = DOMAIN
        socket.set(zmq.ZAP_ENFORCE_DOMAIN, 1)
        # So that a message for somebody who is gone is noticed, not dropped.
        socket.set(zmq.ROUTER_MANDATORY, 1)
        socket.set(zmq.MAXMSGSIZE, most_bytes + _OVERHEAD)
        socket.set(zmq.RCVHWM, _HIGH_WATER)
        socket.set(zmq.SNDHWM, _HIGH_WATER)
        socket.set(zmq.BACKLOG, _BACKLOG)
        socket.set(zmq.HANDSHAKE_IVL, 5_000)
        socket.set(zmq.HEARTBEAT_IVL, 10_000)
        socket.set(zmq.TCP_KEEPALIVE, 1)
        return socket

    async def _receive(self, receiver: Receiver) -> None:
        taken = 0
        while True:
            await self._may_read.wait()
            parts: Any = await self._router.recv_multipart(copy=False)
            if len(parts) == _PARTS and (name := _name_of(parts[-1])):
                receiver(f"{name}/{parts[0].bytes.hex()}", parts[1].bytes)
            taken += 1
            if taken % _BATCH == 0:
                # A message that is there already does not let others have their turn.
                await asyncio.sleep(0)


def holds(connection: str, public_key: bytes) -> bool:
    """Whether the other end of a connection has proven to hold this Ed25519 key, as a key of CURVE."""
    return connection.partition("/")[0] == member_of(curve_public_key(public_key))


def _routing(connection: str) -> bytes:
    return bytes.fromhex(connection.partition("/")[2])


def _name_of(frame: zmq.Frame) -> str:
    try:
        return str(frame.get(NAME))
    except zmq.ZMQError:
        return ""
