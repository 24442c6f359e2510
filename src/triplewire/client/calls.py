"""What a client asks of a node, and what it makes of the answer: pure, and the same for both kinds of client."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct

from triplewire.errors import NodeRefused, NodeUnreachable, TriplewireError, UnknownFormat
from triplewire.rdf.events import Event
from triplewire.rdf.formats import format_named
from triplewire.wire.networks import NetworkView

T = TypeVar("T")

MEDIA_TYPES = {
    "sparql": "application/sparql-query",
    "formula": "text/x-triplewire-formula",
    "graph": "text/x-triplewire-graph",
}
RESULTS = "application/sparql-results+json"


class Call(Struct, frozen=True):
    """One request."""

    method: str
    path: str
    params: dict[str, str] = {}
    headers: dict[str, str] = {}
    content: bytes = b""


class Receipt(Struct, frozen=True):
    """Where a published event is in the log."""

    event: str
    position: int


class Registration(Struct, frozen=True):
    """A new client: its public identifier and its secret, which is shown this once."""

    id: str
    secret: str
    private_key: str | None = None


class DeadLetter(Struct, frozen=True):
    """A notification that was given up."""

    id: int
    subscription: str | None
    event: str
    position: int
    reason: str
    attempts: int


class LogPage(Struct, frozen=True):
    """Events of the log as N-Quads. `position` is where to read on; `gap` the last that retention has removed, if any.

    A `position` before the one that was asked for tells that the log ends there.
    """

    nquads: bytes
    position: int
    gap: int | None
    is_last: bool


class _Health(Struct):
    node: str


class _Receipts(Struct):
    events: list[Receipt]


class _Clients(Struct):
    clients: list[dict[str, Any]]


class _Letters(Struct):
    dead_letters: list[DeadLetter]
    next: int | None = None


# Publishing


def publish(events: Event | Iterable[Event] | bytes, format: str, key: str | None) -> Call:  # noqa: A002
    """Events, or a document in an RDF format."""
    if isinstance(events, Event):
        events = [events]
    content = events if isinstance(events, bytes) else b"".join(event.nquads for event in events)
    headers = {"content-type": format_named(format).media_types[0]}
    return Call(
        "POST", "/events", headers=headers if key is None else headers | {"idempotency-key": key}, content=content
    )


def receipts(content: bytes) -> list[Receipt]:
    return _decoded(content, _Receipts).events


# Reading the log


def read_log(after: int, limit: int) -> Call:
    params = {"after": str(after), "limit": str(limit)}
    return Call("GET", "/events", params, {"accept": format_named("nquads").media_types[0]})


def log_page(content: bytes, headers: Mapping[str, str]) -> LogPage:
    try:
        gap = headers.get("triplewire-gap")
        position = int(headers["triplewire-position"])
        return LogPage(content, position, None if gap is None else int(gap), "link" not in headers)
    except (KeyError, ValueError) as error:
        raise TriplewireError(f"wanted a page of a Triplewire node's log, found no position with it: {error}") from None


HEALTH = Call("GET", "/health")


def node_id(content: bytes) -> str:
    return _decoded(content, _Health).node


# Subscribing


def subscription_name(query: str, language: str) -> str:
    """A name for a query without one: the same query gets the same name, and so goes on where it was."""
    return hashlib.sha256(f"{language}\n{query}".encode()).hexdigest()[:16]


def subscribe(name: str, query: str, language: str, start: str | int, payload: str) -> Call:
    if language not in MEDIA_TYPES:
        raise UnknownFormat(f"unknown subscription language {language!r}; wanted one of {', '.join(MEDIA_TYPES)}")
    params = {"start": str(start), "payload": payload}
    return Call("PUT", _subscription(name), params, {"content-type": MEDIA_TYPES[language]}, query.encode())


def unsubscribe(name: str) -> Call:
    return Call("DELETE", _subscription(name))


def acknowledge(name: str, position: int) -> Call:
    return Call("POST", f"{_subscription(name)}/ack", {"position": str(position)})


def stream_path(name: str) -> str:
    return f"{_subscription(name)}/notifications"


def _subscription(name: str) -> str:
    return f"/subscriptions/{quote(name, safe='')}"


# The network


def advertise(name: str, rdf: str, lasts: float | None) -> Call:
    params = {} if lasts is None else {"lasts": str(lasts)}
    return Call("PUT", _advertisement(name), params, {"content-type": "text/turtle"}, rdf.encode())


def withdraw(name: str) -> Call:
    return Call("DELETE", _advertisement(name))


def network(limit: int) -> Call:
    return Call("GET", "/network", {"limit": str(limit)})


def network_view(content: bytes) -> NetworkView:
    return _decoded(content, NetworkView)


def _advertisement(name: str) -> str:
    return f"/advertisements/{quote(name, safe='')}"


# The rest


def query(text: str, accept: str) -> Call:
    return Call(
        "POST", "/sparql", headers={"content-type": MEDIA_TYPES["sparql"], "accept": accept}, content=text.encode()
    )


def register(name: str) -> Call:
    headers = {"content-type": "application/json"}
    return Call("POST", "/clients", headers=headers, content=msgspec.json.encode({"name": name}))


def registration(content: bytes) -> Registration:
    return _decoded(content, Registration)


CLIENTS = Call("GET", "/clients")


def clients(content: bytes) -> list[dict[str, Any]]:
    return _decoded(content, _Clients).clients


def dead_letters(after: int) -> Call:
    return Call("GET", "/dead-letters", {"after": str(after)})


def letters(content: bytes) -> tuple[list[DeadLetter], int | None]:
    """A page of letters, and where the next begins."""
    page = _decoded(content, _Letters)
    return page.dead_letters, page.next


def send_again(letter_id: int) -> Call:
    return Call("POST", f"/dead-letters/{letter_id}/delivery")


# Answers


def check(status: int, reason: str, content: bytes) -> None:
    """Raise `NodeRefused` with the node's own words unless the answer is a 2xx."""
    if 200 <= status < 300:
        return
    try:
        problem: Any = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        problem = None
    if not isinstance(problem, dict):
        problem = {"title": reason}
    raise NodeRefused(status, str(problem.get("title", reason)), str(problem.get("detail", "")))


def unreachable(url: str, error: Exception) -> NodeUnreachable:
    return NodeUnreachable(f"wanted a node at {url}, found none: {type(error).__name__} {error}".rstrip())


def _decoded(content: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TriplewireError(f"wanted an answer of a Triplewire node, found another: {error}") from None
