"""What a client asks of a node, and what it makes of the answer: pure, and the same for both kinds of client."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct
from pyoxigraph import RdfFormat, parse

from triplewire.errors import InputError, NodeRefused, NodeUnreachable, TriplewireError, UnknownFormat
from triplewire.rdf.coercion import EventLike, as_events
from triplewire.rdf.documents import path_in, url_of
from triplewire.rdf.formats import NQUADS, NTRIPLES, format_named, format_of_path
from triplewire.rdf.limits import Limits, limits_for
from triplewire.rdf.patches import MEDIA_TYPE
from triplewire.rdf.solutions import Solutions, Triples
from triplewire.rdf.sparql_json import answer_of
from triplewire.wire.answers import ChangePage, ChangeReceipt, Receipt, Receipts
from triplewire.wire.networks import NetworkView
from triplewire.wire.reasons import ExplainedAnswer, Reason
from triplewire.wire.spaces import SpaceDeparture, SpaceView

T = TypeVar("T")

MEDIA_TYPES = {
    "sparql": "application/sparql-query",
    "formula": "text/x-triplewire-formula",
    "graph": "text/x-triplewire-graph",
}
RESULTS = "application/sparql-results+json"
TRIPLES = "application/n-triples"
UPDATE = "application/sparql-update"
JSON = "application/json"
PATCH = MEDIA_TYPE
# What a query is asked over.
LIVING, EVENTS = "/sparql", "/events/sparql"
# No log is longer.
MOST_POSITION = (1 << 63) - 1
RdfLike = bytes | str | os.PathLike[str]


class Call(Struct, frozen=True):
    """One request. The node may take so many `seconds` longer to answer than usually."""

    method: str
    path: str
    params: dict[str, str] = {}
    headers: dict[str, str] = {}
    content: bytes = b""
    seconds: float = 0.0


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


class SubscriptionStatus(Struct, frozen=True, rename={"name": "id"}):
    """A subscription at a node, and how it stands. `acknowledged` and `latest` are positions.

    `is_new` tells whether it was made by the request that this answers.
    """

    name: str
    owner: str
    language: str
    text: str
    state: str
    payload: str = "solutions"
    delivery: str = "pull"
    callback: str | None = None
    retention: float | None = None
    reason: str | None = None
    created: int = 0
    acknowledged: int = 0
    latest: int = 0
    waiting_bytes: int = 0
    unindexed: bool = False
    why: bool = False
    secret: str | None = None
    is_new: bool = False


class Verdict(Struct, frozen=True):
    """How a node matches a query; with an event, whether that satisfies it, and why or why not.

    `why` says what each of the solutions stands on.
    """

    lane: str
    requires: list[str]
    unindexed: bool
    event: str | None = None
    matches: bool | None = None
    reason: str | None = None
    solutions: list[dict[str, Any]] = []
    why: tuple[Reason, ...] = ()


class _Subscriptions(Struct):
    subscriptions: list[SubscriptionStatus]


class _NodeLimits(Struct, frozen=True):
    event_bytes: int | None = None
    event_quads: int | None = None
    request_bytes: int | None = None


class _Health(Struct):
    node: str
    limits: _NodeLimits = _NodeLimits()


class _Clients(Struct):
    clients: list[dict[str, Any]]


class _Letters(Struct):
    dead_letters: list[DeadLetter]
    next: int | None = None


# Publishing


def publish(
    events: EventLike | Iterable[EventLike],
    format: str | None,  # noqa: A002  the public name
    key: str | None,
    base: str | None = None,
    merge: bool | None = None,
) -> Call:
    """Events, graphs of rdflib, or a document in an RDF format, which goes to the node as it is."""
    content, form = _document(events, format)
    headers = {"content-type": format_named(form).media_types[0]}
    headers |= {} if key is None else {"idempotency-key": key}
    base = base or _url(events, form)
    params = {} if base is None else {"base": base}
    params |= {} if merge is None else {"merge": str(merge).lower()}
    return Call("POST", "/events", params, headers, content)


def _url(given: Any, form: str) -> str | None:
    """What relative IRIs of a file count from; nobody else is given where it lies."""
    path = path_in(given) if isinstance(given, bytes | str | os.PathLike) else None
    return None if path is None or format_named(form) in (NQUADS, NTRIPLES) else url_of(path)


def _document(given: Any, form: str | None) -> tuple[bytes, str]:
    """The bytes to send and their format: N-Quads unless a format is named, or a file's suffix names one."""
    if not isinstance(given, bytes | str | os.PathLike):
        return b"".join(event.nquads for event in as_events(given)), "nquads"
    path = path_in(given)
    if path is not None:
        return _file(path), form or format_of_path(path).name
    return given.encode() if isinstance(given, str) else bytes(given), form or "nquads"  # type: ignore[arg-type]


def _file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read the file: {error.strerror or error}", source=str(path)) from error


def receipts(content: bytes) -> list[Receipt]:
    return list(decoded(content, Receipts).events)


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
        raise TriplewireError(
            wanted="a page of a Triplewire node's log", found=f"no position with it: {error}"
        ) from None


HEALTH = Call("GET", "/health")


def node_id(content: bytes) -> str:
    return decoded(content, _Health).node


def limits(content: bytes) -> Limits:
    """What a node takes; the usual where it does not say."""
    given = decoded(content, _Health).limits
    usual = limits_for(given.event_bytes, given.event_quads)
    return msgspec.structs.replace(usual, document_bytes=given.request_bytes or usual.document_bytes)


# Subscribing


def subscription_name(query: str, language: str) -> str:
    """A name for a query without one: the same query gets the same name, and so goes on where it was."""
    return hashlib.sha256(f"{language}\n{query}".encode()).hexdigest()[:16]


def subscribe(name: str, query: str, language: str, start: str | int, payload: str, *, why: bool) -> Call:
    params = {"start": str(start), "payload": payload} | ({"why": "true"} if why else {})
    return Call("PUT", subscription_path(name), params, {"content-type": _media_type(language)}, query.encode())


def subscription_status(content: bytes, *, is_new: bool = False) -> SubscriptionStatus:
    return msgspec.structs.replace(decoded(content, SubscriptionStatus), is_new=is_new)


SUBSCRIPTIONS = Call("GET", "/subscriptions")


def subscription_statuses(content: bytes) -> list[SubscriptionStatus]:
    return decoded(content, _Subscriptions).subscriptions


def subscription(name: str) -> Call:
    return Call("GET", subscription_path(name))


def reset(name: str, start: str | int) -> Call:
    return Call("POST", f"{subscription_path(name)}/reset", {"start": str(start)})


def explain(query: str, language: str, event: str | None) -> Call:
    params = {} if event is None else {"event": event}
    return Call("POST", "/explain", params, {"content-type": _media_type(language)}, query.encode())


def explain_answer(query: str) -> Call:
    return Call("POST", "/explain", {"over": "graph"}, {"content-type": MEDIA_TYPES["sparql"]}, query.encode())


def explain_view(name: str) -> Call:
    return Call("GET", "/explain", {"view": name})


def explained_answer(content: bytes) -> ExplainedAnswer:
    return decoded(content, ExplainedAnswer)


def verdict(content: bytes) -> Verdict:
    return decoded(content, Verdict)


def read_subscription(name: str, after: int | None, limit: int, wait: float) -> Call:
    params = {"limit": str(limit), "wait": str(wait)} | ({} if after is None else {"after": str(after)})
    return Call("GET", stream_path(subscription_path(name)), params, seconds=wait)


def unsubscribe(name: str) -> Call:
    return Call("DELETE", subscription_path(name))


def acknowledge(path: str, position: int) -> Call:
    """Of a subscription or a view, by its path."""
    return Call("POST", f"{path}/ack", {"position": str(position)})


def stream_path(path: str) -> str:
    return f"{path}/notifications"


def _media_type(language: str) -> str:
    if language not in MEDIA_TYPES:
        raise UnknownFormat(wanted=f"a subscription language, one of {', '.join(MEDIA_TYPES)}", found=repr(language))
    return MEDIA_TYPES[language]


def subscription_path(name: str) -> str:
    """Where a subscription is."""
    return f"/subscriptions/{segment(name)}"


def segment(name: str) -> str:
    """A name as it stands in a path. Raises `InputError` for what cannot stand there."""
    if "/" in name or name in ("", ".", ".."):
        raise InputError(wanted="a name without /, which is not empty", found=repr(name))
    return quote(name, safe="")


# The network


def advertise(name: str, rdf: str, lasts: float | None) -> Call:
    params = {} if lasts is None else {"lasts": str(lasts)}
    return Call("PUT", _advertisement(name), params, {"content-type": "text/turtle"}, rdf.encode())


def withdraw(name: str) -> Call:
    return Call("DELETE", _advertisement(name))


def network(limit: int) -> Call:
    return Call("GET", "/network", {"limit": str(limit)})


def network_view(content: bytes) -> NetworkView:
    return decoded(content, NetworkView)


SPACE = Call("GET", "/space")
LEAVE_SPACE = Call("POST", "/space/leave")


def space_view(content: bytes) -> SpaceView:
    return decoded(content, SpaceView)


def space_departure(content: bytes) -> SpaceDeparture:
    return decoded(content, SpaceDeparture)


def _advertisement(name: str) -> str:
    return f"/advertisements/{segment(name)}"


# The living graph


def update(text: str, key: str | None) -> Call:
    return Call("POST", "/update", headers={"content-type": UPDATE} | _keyed(key), content=text.encode())


def read_graph(name: str | None, accept: str) -> Call:
    return Call("GET", "/graph", _graph(name), {"accept": accept})


def write_graph(method: str, name: str | None, given: RdfLike, form: str | None, key: str | None) -> Call:
    """PUT or POST of a document: text or bytes of a format, Turtle unless another is named, or a file."""
    content, form, base = document(given, form)
    headers = {"content-type": format_named(form).media_types[0]} | _keyed(key)
    return Call(method, "/graph", _graph(name) | ({} if base is None else {"base": base}), headers, content)


def document(given: RdfLike, form: str | None) -> tuple[bytes, str, str | None]:
    """The bytes of a document, Turtle unless another format is named, or a file; its format; and its base, if any."""
    content, form = _document(given, form or (None if path_in(given) else "turtle"))
    return content, form, _url(given, form)


def delete_graph(name: str | None, key: str | None) -> Call:
    return Call("DELETE", "/graph", _graph(name), _keyed(key))


def patch(text: str | bytes, key: str | None) -> Call:
    content = text.encode() if isinstance(text, str) else text
    return Call("PATCH", "/graph", headers={"content-type": PATCH} | _keyed(key), content=content)


def changes(after: int, limit: int, wait: float, accept: str) -> Call:
    params = {"after": str(after), "limit": str(limit), "wait": str(wait)}
    return Call("GET", "/changes", params, {"accept": accept})


def change_receipt(content: bytes) -> ChangeReceipt:
    return decoded(content, ChangeReceipt)


def change_page(content: bytes) -> ChangePage:
    return decoded(content, ChangePage)


def triples(content: bytes) -> Triples:
    return Triples(quad.triple for quad in parse(content, RdfFormat.N_TRIPLES))


def _graph(name: str | None) -> dict[str, str]:
    return {"default": ""} if name is None else {"graph": name}


def _keyed(key: str | None) -> dict[str, str]:
    return {} if key is None else {"idempotency-key": key}


# The rest


def query(text: str, accept: str, path: str = LIVING) -> Call:
    return Call("POST", path, headers={"content-type": MEDIA_TYPES["sparql"], "accept": accept}, content=text.encode())


QUERY_ANSWERS = f"{RESULTS}, {TRIPLES};q=0.9"


def query_answer(content: bytes, media_type: str) -> Solutions | bool | Triples:
    """Rows of a SELECT, yes or no of an ASK, triples of a CONSTRUCT or DESCRIBE."""
    if media_type.partition(";")[0].strip() == TRIPLES:
        return triples(content)
    return answer_of(content)


def register(name: str) -> Call:
    headers = {"content-type": "application/json"}
    return Call("POST", "/clients", headers=headers, content=msgspec.json.encode({"name": name}))


def registration(content: bytes) -> Registration:
    return decoded(content, Registration)


CLIENTS = Call("GET", "/clients")


def clients(content: bytes) -> list[dict[str, Any]]:
    return decoded(content, _Clients).clients


def dead_letters(after: int) -> Call:
    return Call("GET", "/dead-letters", {"after": str(after)})


def letters(content: bytes) -> tuple[list[DeadLetter], int | None]:
    """A page of letters, and where the next begins."""
    page = decoded(content, _Letters)
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
    wanted, found = (problem[name] if isinstance(problem.get(name), str) else None for name in ("wanted", "found"))
    raise NodeRefused(
        status, str(problem.get("title", reason)), str(problem.get("detail", "")), wanted=wanted, found=found
    )


def unreachable(url: str, error: Exception) -> NodeUnreachable:
    return NodeUnreachable(wanted=f"a node at {url}", found=f"none: {type(error).__name__} {error}".rstrip())


def decoded(content: bytes, kind: type[T]) -> T:
    """An answer as one of the Structs."""
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TriplewireError(wanted="an answer of a Triplewire node", found=f"another: {error}") from None
