"""The requests of a JSAP file, sent as SEPA's protocol has it: over HTTP, and over a WebSocket.

Error handling: a server that says no raises `NodeRefused` with its own words. A connection that breaks ends a
subscription, as it does in SEPA: whoever subscribes again gets the whole answer first.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from typing import Any

import httpx
import msgspec
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from triplewire.client import calls
from triplewire.client.jsap import JsapQuery, JsapUpdate
from triplewire.client.settings import headers_of
from triplewire.errors import NodeRefused, NodeUnreachable
from triplewire.rdf.solutions import Solutions, Triples
from triplewire.wire.sepa import (
    Notification,
    Refusal,
    Subscribe,
    Unsubscribe,
    Unsubscribed,
    read_answer,
    write_request,
)

_SECONDS = 30.0
_MOST_BYTES = 64 << 20
_ALIAS = "triplewire"


def query_document(query: JsapQuery, secret: str | None = None) -> tuple[bytes, str]:
    """The answer of a query as the server writes it, and its media type."""
    graphs = {"default-graph-uri": query.default_graphs, "named-graph-uri": query.named_graphs}
    response = _post(query.url, query.text, calls.MEDIA_TYPES["sparql"], calls.QUERY_ANSWERS, graphs, secret)
    return response.content, response.headers.get("content-type", "")


def ask(query: JsapQuery, secret: str | None = None) -> Solutions | bool | Triples:
    """The answer of a query: rows of a SELECT, yes or no of an ASK, triples of a CONSTRUCT or DESCRIBE."""
    return calls.query_answer(*query_document(query, secret))


def send(update: JsapUpdate, secret: str | None = None) -> None:
    """Do an update."""
    graphs = {"using-graph-uri": update.using_graphs, "using-named-graph-uri": update.using_named_graphs}
    _post(update.url, update.text, "application/sparql-update", "application/json", graphs, secret)


def subscribe(query: JsapQuery, secret: str | None = None) -> Generator[Notification, None, None]:
    """The answer of a query as it stands, and then whatever comes and goes, until whoever iterates has enough."""
    asked = Subscribe(query.text, _ALIAS, secret, query.default_graphs, query.named_graphs)
    try:
        with connect(query.socket_url, open_timeout=_SECONDS, max_size=_MOST_BYTES, proxy=None) as socket:
            socket.send(write_request(asked))
            yield from _notifications(socket, secret)
    except (OSError, WebSocketException) as error:
        raise calls.unreachable(query.socket_url, error) from None


def _notifications(socket: ClientConnection, secret: str | None) -> Generator[Notification, None, None]:
    spuid = None
    try:
        for frame in socket:
            answer = read_answer(frame)
            if isinstance(answer, Refusal):
                raise NodeRefused(answer.status_code, answer.error, answer.error_description)
            if isinstance(answer, Unsubscribed):
                return
            spuid = answer.spuid
            yield answer
    finally:
        if spuid is not None:
            with suppress(WebSocketException):  # the server may have gone first
                socket.send(write_request(Unsubscribe(spuid, _ALIAS, secret)))
    raise NodeUnreachable(wanted="a subscription that goes on", found="a connection that the server closed")


def _post(
    url: str, text: str, media_type: str, accept: str, graphs: dict[str, tuple[str, ...]], secret: str | None
) -> httpx.Response:
    headers = headers_of(secret) | {"content-type": media_type, "accept": accept}
    try:
        response = httpx.post(
            url, params=graphs, headers=headers, content=text.encode(), timeout=_SECONDS, trust_env=False
        )
    except (httpx.TransportError, httpx.InvalidURL) as error:
        raise calls.unreachable(url, error) from None
    if not response.is_success:
        _refuse(response)
    return response


def _refuse(response: httpx.Response) -> None:
    """Raise with the words of a SEPA server, or else of one of ours."""
    try:
        told: Any = msgspec.json.decode(response.content)
    except (msgspec.DecodeError, UnicodeError):
        told = None
    if isinstance(told, dict) and isinstance(told.get("error_description"), str):
        raise NodeRefused(response.status_code, str(told.get("error", "")), told["error_description"])
    calls.check(response.status_code, response.reason_phrase, response.content)
