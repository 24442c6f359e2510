"""Cross-origin resource sharing: what a browser lets pages of allowed origins do, and what it asks first (preflight).

Secrets travel in the Authorization header, which a page sends on purpose, and never in cookies, which a browser sends
by itself; so credentials in CORS' sense are never allowed, neither for named origins nor for `*`.
"""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE")
_SENT = ("Authorization", "Content-Encoding", "Idempotency-Key", "If-None-Match", "Last-Event-ID")
_READ = (
    "Allow",
    "ETag",
    "Link",
    "Location",
    "Retry-After",
    "Triplewire-Gap",
    "Triplewire-Position",
    "WWW-Authenticate",
)


class CrossOrigin(CORSMiddleware):
    """Starlette's, for the headers of this API. Every answer varies by origin, also to whoever sends none."""

    def __init__(self, app: ASGIApp, origins: frozenset[str]) -> None:
        super().__init__(
            app, allow_origins=sorted(origins), allow_methods=_METHODS, allow_headers=_SENT, expose_headers=_READ
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def varied(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if "origin" not in headers.get("vary", "").lower():
                    headers.add_vary_header("Origin")
            await send(message)

        await super().__call__(scope, receive, varied if scope["type"] == "http" else send)
