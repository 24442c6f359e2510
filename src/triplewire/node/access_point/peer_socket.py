"""The socket of an access point's peers: ZeroMQ with CURVE, guarded by the super-peer's own key.

Anybody who knows the public key may send; sessions authenticate the peer. A connection is identified by the client's
CURVE key, which the handshake of CURVE has verified (`zap`), and by ZeroMQ's routing id.

Resource handling: a message has at most so many bytes; queues are bounded, and a peer that does not read is cut off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import zmq
import zmq.asyncio

from triplewire.network.sessions.identity import curve_private_key, curve_public_key
from triplewire.node.transport.curve_router import CurveRouter, sender_of
from triplewire.node.transport.keys import member_of
from triplewire.system.curve_sockets import send_now
from triplewire.system.supervisor import Supervisor

Receiver = Callable[[str, bytes], None]
_OVERHEAD = 4_096
_PARTS = 2


class PeerSocket:
    """Make it on an event loop, `listen`, `start` it with a receiver, and `stop` it."""

    def __init__(self, private_key: bytes, most_bytes: int) -> None:
        self._context = zmq.asyncio.Context()
        # So that sending to a peer that is gone fails, instead of dropping the message.
        options = {zmq.ROUTER_MANDATORY: 1}
        self._router = CurveRouter(self._context, curve_private_key(private_key), most_bytes + _OVERHEAD, options)
        self._tasks = Supervisor()

    @property
    def address(self) -> str:
        return self._router.address

    def listen(self, address: str) -> None:
        """Listen there. Port 0 is a free one; `address` then has it."""
        self._router.listen(address, "peers")

    def start(self, receiver: Receiver) -> None:
        """Pass what arrives to the receiver."""
        self._tasks.start("peers receiving", self._router.receive(partial(self._take, receiver)))

    def send(self, connection: str, data: bytes) -> bool:
        """Send a message; whether the connection is there and takes it."""
        return send_now(self._router.socket, _routing(connection), data)

    def pause(self) -> None:
        """Stop reading until `resume`."""
        self._router.pause()

    def resume(self) -> None:
        self._router.resume()

    async def stop(self) -> None:
        """Close everything."""
        await self._tasks.stop()
        await self._router.close()
        await asyncio.to_thread(self._context.term)

    def _take(self, receiver: Receiver, parts: list[zmq.Frame]) -> None:
        if len(parts) == _PARTS and (name := sender_of(parts[-1])):
            receiver(f"{name}/{parts[0].bytes.hex()}", parts[1].bytes)


def holds(connection: str, public_key: bytes) -> bool:
    """Whether the other end of a connection has proven to hold this Ed25519 key, as a key of CURVE."""
    return connection.partition("/")[0] == member_of(curve_public_key(public_key))


def _routing(connection: str) -> bytes:
    return bytes.fromhex(connection.partition("/")[2])
