"""Frames: bytes between members over ZeroMQ with CURVE, whatever they mean.

Each member listens on one socket, guarded by a key that all of them derive from the network's, and connects to the
others (`connections`). A connection carries frames one way only, from the one that opened it: so the sender of every
frame is the holder of a key that the handshake has verified (`zap`), and no frame has to name its sender.

Resource handling: a frame has at most so many bytes; ZeroMQ disconnects the sender of a larger one. Queues are bounded
on both sides; where the other side does not read, frames are dropped (`connections`).

Error handling: what is refused is counted by reason, and logged at most once a second. A fault in the receiver is
logged, and the next frame is received.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from functools import partial

import zmq
import zmq.asyncio
from zmq.utils.monitor import recv_monitor_message

from triplewire.errors import MessageRefused
from triplewire.node.transport.connections import OutgoingConnections
from triplewire.node.transport.curve_router import CurveRouter, sender_of
from triplewire.node.transport.keys import KeyPair
from triplewire.node.transport.rate_limited_log import RateLimitedLog
from triplewire.system.supervisor import Supervisor

_log = logging.getLogger(__name__)

# Called with the verified sender and the frame; raises `MessageRefused` for what is none.
Receiver = Callable[[str, memoryview], None]
# Encryption adds some bytes.
_OVERHEAD = 1_024
_FLUSH_SECONDS = 0.02
_TIDY_SECONDS = 5.0
_LINGER_MS = 1_000
_PARTS = 2
_FAILED_HANDSHAKES = (
    zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_AUTH
)


class FrameTransport:
    """Make it on an event loop, `listen` somewhere, `start_receiving`, and `stop` it.

    `server` is the key pair that all members share, `own` names this one. `member` is what one is called in the log.
    """

    def __init__(self, server: KeyPair, own: KeyPair, most_bytes: int, member: str) -> None:
        self._member = member
        self._context = zmq.asyncio.Context()
        self._router = CurveRouter(self._context, server.secret, most_bytes + _OVERHEAD)
        self._monitor: zmq.asyncio.Socket | None = None
        self._connections = OutgoingConnections(self._context, own, server.public)
        self._tasks = Supervisor()
        self._held = asyncio.Event()
        self.refused: Counter[str] = Counter()
        self._limited_log = RateLimitedLog(_log)

    @property
    def dropped(self) -> Counter[str]:
        """What was not sent, by reason."""
        return +self._connections.dropped

    @property
    def address(self) -> str:
        return self._router.address

    def listen(self, listen: str) -> None:
        """Listen there. Port 0 is a free one; `address` then has it."""
        self._router.listen(listen, f"{self._member}s")

    def start_receiving(self, receiver: Receiver) -> None:
        """Pass what arrives to the receiver."""
        self._monitor = self._router.socket.get_monitor_socket(_FAILED_HANDSHAKES)
        for name, work in (
            ("receiving", self._router.receive(partial(self._take, receiver))),
            ("flushing", self._flush()),
            ("tidying", self._close_idle_connections()),
            ("watching", self._watch(self._monitor)),
        ):
            self._tasks.start(f"backbone {name}", work)

    def send_frame(self, address: str, frame: bytes) -> None:
        """Send a frame; it may get lost."""
        if self._connections.send(address, frame, time.monotonic()):
            self._held.set()

    def refuse(self, problem: MessageRefused, sender: str) -> None:
        """Count and log what is no message."""
        self.refused[problem.fault] += 1
        self._limited_log.warning(problem.fault, "refused, from %s: %s", sender, problem)

    def pause(self) -> None:
        """Stop reading until `resume`: what was received has to be stored first."""
        self._router.pause()

    def resume(self) -> None:
        self._router.resume()

    async def stop(self) -> None:
        """Close everything. What was sent last gets a moment to be delivered."""
        self._connections.flush(time.monotonic())
        await self._tasks.stop()
        if self._monitor is not None:
            self._router.socket.disable_monitor()
            self._monitor.close(0)
        self._connections.close(_LINGER_MS)
        await self._router.close()
        await asyncio.to_thread(self._context.term)

    # Private: receiving

    def _take(self, receiver: Receiver, parts: list[zmq.Frame]) -> None:
        sender = sender_of(parts[-1])
        try:
            if len(parts) != _PARTS:
                raise MessageRefused("parts", wanted="a message in one part", found=str(len(parts) - 1))
            if not sender:
                raise MessageRefused("sender", wanted="a message from whoever holds a key", found="none")
            receiver(sender, parts[-1].buffer)
        except MessageRefused as problem:
            self.refuse(problem, sender or "nobody")
        except Exception as bug:  # noqa: BLE001  whatever one message did, the next is to be taken
            self.refused["bug"] += 1
            self._limited_log.error("bug", "a bug: a message from %s: %s", sender, bug, exc_info=bug)

    # Private: upkeep

    async def _flush(self) -> None:
        while True:
            await self._held.wait()
            self._held.clear()
            while self._connections.flush(time.monotonic()):
                await asyncio.sleep(_FLUSH_SECONDS)

    async def _close_idle_connections(self) -> None:
        while True:
            await asyncio.sleep(_TIDY_SECONDS)
            self._connections.close_idle(time.monotonic())

    async def _watch(self, monitor: zmq.asyncio.Socket) -> None:
        while True:
            await recv_monitor_message(monitor)
            self.refused["handshake"] += 1
            words = "refused, at %s: wanted a %s of this network, found another"
            self._limited_log.warning("handshake", words, self.address, self._member)
