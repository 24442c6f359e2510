"""What every request passes first: the name under which an open node answers, and what browsers let pages do.

An open node answers under a loopback name, and no other. A page from elsewhere can let its own name lead to 127.0.0.1
after it was loaded (DNS rebinding). Its visitor's browser then takes a node on that machine for the page's own server,
and no Origin tells them apart; the Host header does.

Cross-origin resource sharing is what a browser lets pages of allowed origins do, and what it asks first (preflight).
Secrets travel in the Authorization header, which a page sends on purpose, and never in cookies, which a browser sends
by itself; so credentials in CORS' sense are never allowed, neither for named origins nor for `*`.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from triplewire.errors import Forbidden
from triplewire.node.http.problems import problem_of
from triplewire.node.http.sepa.refusals import formed_for
from triplewire.node.settings import is_loopback

_POLICY = 1008
_OK, _NO_CONTENT = 200, 204
_OF_THE_BODY = ("content-length", "content-type")
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_SENT = ("Authorization", "Content-Encoding", "Idempotency-Key", "If-None-Match", "Last-Event-ID")
_READ = (
    "Allow",
    "ETag",
    "Link",
    "Location",
    "Retry-After",
    "Triplewire-Change",
    "Triplewire-Gap",
    "Triplewire-Position",
    "WWW-Authenticate",
)


class LoopbackOnly:
    """Refuses every request that was meant for another host."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        hosts = [value.decode("latin-1") for name, value in scope.get("headers", ()) if name == b"host"]
        if len(hosts) == 1 and is_loopback(name_of(hosts[0])):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _POLICY, "reason": "wanted a loopback host"})
        else:
            found = " and ".join(map(repr, hosts)) or "none"
            refusal = Forbidden(wanted="a loopback host, as 127.0.0.1 or localhost, at an open node", found=str(found))
            await formed_for(scope["path"], problem_of(refusal))(scope, receive, send)


def name_of(host: str) -> str:
    """The name or address in a Host header, without its port.

    >>> name_of("localhost:8080"), name_of("127.0.0.1"), name_of("[::1]:8080"), name_of("LOCALHOST")
    ('localhost', '127.0.0.1', '::1', 'localhost')
    >>> name_of("evil.example:8080"), name_of("127.0.0.1.evil.example"), name_of("")
    ('evil.example', '127.0.0.1.evil.example', '')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()


class CrossOrigin(CORSMiddleware):
    """Starlette's, for the headers of this API. Every answer varies by origin, also to requests that send none.

    A preflight that is allowed gets 204, without a body.
    """

    def __init__(self, app: ASGIApp, origins: frozenset[str]) -> None:
        super().__init__(
            app, allow_origins=sorted(origins), allow_methods=_METHODS, allow_headers=_SENT, expose_headers=_READ
        )

    def preflight_response(self, request_headers: Headers) -> Response:
        response = super().preflight_response(request_headers)
        if response.status_code != _OK:
            return response
        headers = {name: value for name, value in response.headers.items() if name not in _OF_THE_BODY}
        return Response(status_code=_NO_CONTENT, headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def varied(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if "origin" not in headers.get("vary", "").lower():
                    headers.add_vary_header("Origin")
            await send(message)

        await super().__call__(scope, receive, varied if scope["type"] == "http" else send)
