"""What one connection may hold: a request must arrive in time, and what is not read stays few (rows A16 and F5).

First the head of a request must arrive, then its body. The server has no such limit of its own, and a client that
sends a byte a minute would hold a connection, and what was read of the body, for ever. One that is late gets 408 if
nothing was answered yet, and the connection is closed either way. How long an answer takes, and a WebSocket after its
handshake, are not limited here.

The system would take megabytes for a reader that does not read, and until they are full a stream goes on as if it were
read. So little may wait there unsent; what is under way, and so the speed over a long line, is not limited. A WebSocket
that was closed, or does not answer a ping, is let go even if what waits is never read.
"""

from __future__ import annotations

import asyncio
import socket

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from triplewire.errors import TooSlow
from triplewire.node.http.problems import problem_of
from triplewire.node.http.sepa.refusals import formed_for

_UNSENT_BYTES = 64 * 1024
# A little longer than the server waits for the other side to agree.
_CLOSING_SECONDS = 12.0


def bounded_protocol(head_seconds: float, body_seconds: float) -> type[HttpToolsProtocol]:
    """The server's protocol with these limits."""

    class Configured(BoundedProtocol):
        head = head_seconds
        body = body_seconds

    return Configured


class BoundedProtocol(HttpToolsProtocol):
    """One timer a connection: it runs while a request is on its way in."""

    head: float
    body: float
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        _let_little_wait(transport)
        self._expect("the head of a request", self.head)

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect_nothing()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._expect("the head of a request", self.head)

    def on_headers_complete(self) -> None:
        self._expect("the body of a request", self.body)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._expect_nothing()
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        self._expect_nothing()
        super().handle_websocket_upgrade()

    def _expect(self, what: str, seconds: float) -> None:
        self._expect_nothing()
        self._timer = self.loop.call_later(seconds, self._expired, what, seconds)

    def _expect_nothing(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expired(self, what: str, seconds: float) -> None:
        if self.pipeline:
            # It came before its turn, and it is this side that does not read on.
            self._expect(what, seconds)
            return
        if not self._is_answering and not self.transport.is_closing():
            refusal = TooSlow(wanted=f"{what} within {seconds:g} s", found="only a part of it")
            self.transport.write(_refusal(refusal, self._path))
        self.transport.close()

    @property
    def _path(self) -> str:
        """What is asked for, as far as that has arrived."""
        scope = getattr(self, "scope", None) or {}
        return str(scope.get("path", ""))

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and self.cycle.response_started


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """A WebSocket whose connection ends when it was closed, also if the other side does not read what is left.

    The server's own would wait for that for as long as the other side's system answers.
    """

    async def run_asgi(self) -> None:
        await super().run_asgi()
        self.loop.call_later(_CLOSING_SECONDS, self.transport.abort)

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.loop.call_later(_CLOSING_SECONDS, self.transport.abort)


def _let_little_wait(transport: asyncio.Transport) -> None:
    option, connection = getattr(socket, "TCP_NOTSENT_LOWAT", None), transport.get_extra_info("socket")
    if option is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
        connection.setsockopt(socket.IPPROTO_TCP, option, _UNSENT_BYTES)


def _refusal(error: TooSlow, path: str) -> bytes:
    """The whole answer, as nothing of the application may be listening."""
    response = formed_for(path, problem_of(error))
    response.headers["connection"] = "close"
    head = b"".join(name + b": " + value + b"\r\n" for name, value in response.raw_headers)
    return b"HTTP/1.1 408 Request Timeout\r\n" + head + b"\r\n" + bytes(response.body)
