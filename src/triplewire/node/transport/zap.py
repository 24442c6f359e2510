"""The ZAP handler (ZeroMQ RFC 27), which identifies connections by their key.

ZeroMQ asks it about every handshake that succeeded, which it does only with the network's key. The answer names the
connection: every message that arrives on it carries that name, which its sender cannot choose.
"""

from __future__ import annotations

import zmq
import zmq.asyncio

from triplewire.node.transport.keys import member_of
from triplewire.system.supervisor import Supervisor

DOMAIN = b"triplewire"
NAME = "User-Id"
_ADDRESS = "inproc://zeromq.zap.01"
_VERSION = b"1.0"
_MECHANISM = b"CURVE"
_KEY_BYTES = 32
_FRAMES = 7
_NAME = "backbone doorkeeper"


class ZapHandler:
    """Answers for one context. Start it before anything is bound there."""

    def __init__(self, context: zmq.asyncio.Context) -> None:
        self._socket = context.socket(zmq.REP)
        self._socket.linger = 0
        self._tasks = Supervisor()

    def start(self) -> None:
        if _NAME in self._tasks:
            return
        self._socket.bind(_ADDRESS)
        self._tasks.start(_NAME, self._run())

    async def stop(self) -> None:
        await self._tasks.stop()
        self._socket.close()

    async def _run(self) -> None:
        while True:
            request = await self._socket.recv_multipart()
            await self._socket.send_multipart(answer(request))


def answer(request: list[bytes]) -> list[bytes]:
    """200 and the member's identifier for the holder of a key, 400 for anything else."""
    number = request[1] if len(request) > 1 else b""
    if len(request) != _FRAMES or request[0] != _VERSION or request[2] != DOMAIN or request[5] != _MECHANISM:
        return [_VERSION, number, b"400", b"wanted CURVE", b"", b""]
    key = request[6]
    if len(key) != _KEY_BYTES:
        return [_VERSION, number, b"400", b"wanted a key", b"", b""]
    return [_VERSION, number, b"200", b"OK", member_of(key).encode(), b""]
