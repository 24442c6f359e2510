"""A span for each request, below the one of whoever called."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from triplewire.node.tracing.spans import Tracing


class Traced:
    """Of requests only: a WebSocket may be open for days."""

    def __init__(self, app: ASGIApp, tracing: Tracing) -> None:
        self._app = app
        self._tracing = tracing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        with self._tracing.request(scope["method"], scope["path"], headers) as answered:

            async def noted(message: Message) -> None:
                if message["type"] == "http.response.start":
                    answered(message["status"])
                await send(message)

            await self._app(scope, receive, noted)
