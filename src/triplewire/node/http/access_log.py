"""One line for each request: whose it was, what it asked for, what came of it, how long that took.

    admin 127.0.0.1 POST /events 201 3.2 ms

The line is written when the answer has been sent; of a stream or a WebSocket, at its end. What follows the `?` is left
out, as it may be somebody's query, or have a token in it. `-` is a client that did not say who it is, or an answer that
was never begun.
"""

from __future__ import annotations

import logging
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from triplewire.node.http.authentication import CLIENT_ID
from triplewire.node.logs import ACCESS

_log = logging.getLogger(ACCESS)
_NOBODY = "-"


class AccessLog:
    """Writes the line after the request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = time.monotonic()
        answer = _NOBODY

        async def noted(message: Message) -> None:
            nonlocal answer
            answer = _status(message) or answer
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            _log.info("%s", line(scope, answer, time.monotonic() - begun))


def line(scope: Scope, answer: str, seconds: float) -> str:
    """What the log says of a request.

    >>> line({"method": "GET", "path": "/health", "client": ("127.0.0.1", 5000)}, "200", 0.0123)
    '- 127.0.0.1 GET /health 200 12.3 ms'
    """
    host = (scope.get("client") or (_NOBODY,))[0]
    method = scope.get("method", "WEBSOCKET")
    return f"{scope.get(CLIENT_ID, _NOBODY)} {host} {method} {scope['path']} {answer} {1_000 * seconds:.1f} ms"


def _status(message: Message) -> str | None:
    """What the client is told by this message, if it is told anything of the kind."""
    if message["type"] == "http.response.start":
        return str(message["status"])
    if message["type"] == "websocket.accept":
        return "accepted"
    if message["type"] == "websocket.close":
        return f"closed {message.get('code', 1000)}"
    return None
