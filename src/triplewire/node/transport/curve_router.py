"""The listening socket with CURVE, which identifies senders by their keys. Reading can be paused.

Resource handling: a message has at most so many bytes, and ZeroMQ disconnects the sender of a larger one; queues are
bounded. While reading is paused, what arrives waits in those queues, and then at the sender.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import zmq
import zmq.asyncio

from triplewire.errors import NetworkError
from triplewire.node.transport.zap import DOMAIN, NAME, ZapHandler
from triplewire.system.curve_sockets import Options, bind, guard

_HIGH_WATER = 1_000
_BACKLOG = 256
_BATCH = 50
_OPTIONS = {
    zmq.RCVHWM: _HIGH_WATER,
    zmq.SNDHWM: _HIGH_WATER,
    zmq.BACKLOG: _BACKLOG,
    zmq.HEARTBEAT_IVL: 10_000,
}


class CurveRouter:
    """Make it on an event loop, `listen`, have `receive` run, and `close` it before the context ends."""

    def __init__(
        self, context: zmq.asyncio.Context, secret: bytes, most_bytes: int, options: Options | None = None
    ) -> None:
        self._zap_handler = ZapHandler(context)
        self.socket = context.socket(zmq.ROUTER)
        guard(self.socket, secret, DOMAIN, {**_OPTIONS, zmq.MAXMSGSIZE: most_bytes, **(options or {})})
        self._may_read = asyncio.Event()
        self._may_read.set()
        self.address = ""

    def listen(self, address: str, callers: str) -> None:
        """Listen there, for callers of some kind. Port 0 is a free one; `address` then has it."""
        self._zap_handler.start()
        try:
            self.address = bind(self.socket, address)
        except zmq.ZMQError as error:
            raise NetworkError(f"cannot listen on {address} for {callers}: {error.strerror}") from None

    def pause(self) -> None:
        """Read no more until `resume`: what was taken has to be dealt with first."""
        self._may_read.clear()

    def resume(self) -> None:
        self._may_read.set()

    async def receive(self, take: Callable[[list[zmq.Frame]], None]) -> None:
        """Hand over what arrives, until cancelled: where it came from, then the parts of the message."""
        taken = 0
        while True:
            await self._may_read.wait()
            parts: Any = await self.socket.recv_multipart(copy=False)
            take(parts)
            taken += 1
            if taken % _BATCH == 0:
                # A message that is there already does not let others have their turn.
                await asyncio.sleep(0)

    async def close(self) -> None:
        self.socket.close(0)
        await self._zap_handler.stop()


def sender_of(frame: zmq.Frame) -> str:
    """The identifier of the verified key of a message's sender; empty if there is none."""
    try:
        return str(frame.get(NAME))
    except zmq.ZMQError:
        return ""
