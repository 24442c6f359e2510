"""Requests that come thousands of times a second, handed to their endpoint without FastAPI's preparations.

FastAPI looks through all routers, and at what an endpoint may be given, which takes longer than many an answer. A plain
request, one without a query and without the headers that the endpoint asks for, leaves nothing to look at: every
parameter has its default. Any other goes its usual way, and so do the document, and methods that are not allowed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send


class DirectRoute(BaseRoute):
    """One method and path, plain; `headers` are those that make a request one of the usual way."""

    def __init__(
        self,
        method: str,
        path: str,
        endpoint: Callable[[Request], Awaitable[Response]],
        headers: frozenset[bytes] = frozenset(),
    ) -> None:
        self._path = path
        self._method = method
        self._endpoint = endpoint
        self._headers = headers

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        is_plain = (
            scope["type"] == "http"
            and scope["path"] == self._path
            and scope["method"] == self._method
            and not scope["query_string"]
            and not any(name in self._headers for name, _ in scope["headers"])
        )
        return (Match.FULL, {"endpoint": self._endpoint}) if is_plain else (Match.NONE, {})

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._endpoint(Request(scope, receive, send))
        await response(scope, receive, send)
