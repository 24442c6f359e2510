"""SEPA's protocol, as its clients speak it: the frames of its WebSocket, and the bodies of its HTTP answers.

A client sends `subscribe` and `unsubscribe`; it is sent `notification`, `unsubscribed` and `error`. Members that nobody
here knows are ignored: one client sends the whole of its settings along. Whatever else is wrong with a frame is
answered, and with the alias wherever one can be found, since a client takes an error without it for somebody else's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

PREFIX = "sepa://subscription/"
_BEARER = "bearer "
# JSON that nests deep ends in a recursion that msgspec notices.
_UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)


# What a client sends


class Subscribe(Struct, frozen=True):
    """A standing query. The authorization is a bare token, whichever way it came."""

    sparql: str
    alias: str | None = None
    authorization: str | None = None
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()


class Unsubscribe(Struct, frozen=True):
    """The end of a standing query."""

    spuid: str
    alias: str | None = None
    authorization: str | None = None


class _SubscribeMembers(
    Struct, frozen=True, rename={"default_graphs": "default-graph-uri", "named_graphs": "named-graph-uri"}
):
    sparql: str
    alias: str | None = None
    authorization: str | None = None
    default_graphs: str | list[str] | None = None
    named_graphs: str | list[str] | None = None


class _Frame(Struct, frozen=True):
    subscribe: _SubscribeMembers | UnsetType = UNSET
    unsubscribe: Unsubscribe | UnsetType = UNSET
    authorization: str | None = None


def read_request(frame: str | bytes) -> Subscribe | Unsubscribe | Refusal:
    """What a client asks for, or the answer to something else.

    >>> read_request('{"subscribe": {"sparql": "ASK {}", "alias": "a", "httpsAgent": {}}}')
    Subscribe(sparql='ASK {}', alias='a', authorization=None, default_graphs=(), named_graphs=())
    """
    try:
        read = msgspec.json.decode(frame, type=_Frame)
    except _UNREADABLE as error:
        return Refusal(
            "bad_request", 400, f"wanted a frame of SEPA's protocol, found another: {error}", _alias_in(frame)
        )
    if isinstance(read.subscribe, _SubscribeMembers):
        return _subscribe(read.subscribe, read.authorization)
    if isinstance(read.unsubscribe, Unsubscribe):
        asked = read.unsubscribe
        return Unsubscribe(asked.spuid, asked.alias, _token(asked.authorization or read.authorization))
    return Refusal("bad_request", 400, "wanted subscribe or unsubscribe, found neither", _alias_in(frame))


def _subscribe(asked: _SubscribeMembers, beside: str | None) -> Subscribe:
    return Subscribe(
        asked.sparql,
        asked.alias,
        _token(asked.authorization or beside),
        _listed(asked.default_graphs),
        _listed(asked.named_graphs),
    )


def _listed(given: str | list[str] | None) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given or ())


def _token(authorization: str | None) -> str | None:
    """The token of `Bearer token`; some clients send it bare."""
    if authorization is None:
        return None
    is_named = authorization[: len(_BEARER)].lower() == _BEARER
    return authorization[len(_BEARER) :].strip() if is_named else authorization


def _alias_in(frame: str | bytes) -> str | None:
    """The alias of a frame that is otherwise wrong."""
    try:
        read = msgspec.json.decode(frame)
    except _UNREADABLE:
        return None
    asked = (read.get("subscribe") or read.get("unsubscribe")) if isinstance(read, dict) else None
    alias = asked.get("alias") if isinstance(asked, dict) else None
    return alias if isinstance(alias, str) else None


# What it is sent


class Results(Struct, frozen=True):
    """Solutions: the names of their variables, and each as SPARQL 1.1 Query Results JSON Format writes it."""

    variables: tuple[str, ...] = ()
    bindings: tuple[Mapping[str, Any], ...] = ()

    def document(self) -> dict[str, Any]:
        """The same as a document of that format."""
        return {"head": {"vars": list(self.variables)}, "results": {"bindings": list(self.bindings)}}


class Notification(Struct, frozen=True):
    """What came and what went. The first of a subscription, number 0, has the whole answer."""

    spuid: str
    sequence: int
    added: Results
    removed: Results
    alias: str | None = None


class Unsubscribed(Struct, frozen=True):
    """A standing query has ended."""

    spuid: str
    alias: str | None = None


class Refusal(Struct, frozen=True):
    """Something was not done, over WebSocket or HTTP."""

    error: str
    status_code: int
    error_description: str
    alias: str | None = None


Answer = Notification | Unsubscribed | Refusal


def write_answer(answer: Answer) -> str:
    """The frame of an answer.

    >>> write_answer(Unsubscribed("sepa://subscription/1"))
    '{"unsubscribed":{"spuid":"sepa://subscription/1"}}'
    """
    return msgspec.json.encode(_answer_members(answer)).decode()


def _answer_members(answer: Answer) -> dict[str, Any]:
    if isinstance(answer, Refusal):
        return _present(msgspec.structs.asdict(answer))
    if isinstance(answer, Unsubscribed):
        return {"unsubscribed": _present({"spuid": answer.spuid, "alias": answer.alias})}
    members = {
        "spuid": answer.spuid,
        "alias": answer.alias,
        "sequence": answer.sequence,
        "addedResults": answer.added.document(),
        "removedResults": answer.removed.document(),
    }
    return {"notification": _present(members)}


def _present(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


# The client's side of the same


def write_request(request: Subscribe | Unsubscribe) -> str:
    """The frame of a request."""
    authorization = None if request.authorization is None else f"Bearer {request.authorization}"
    common = {"alias": request.alias, "authorization": authorization}
    if isinstance(request, Unsubscribe):
        frame = {"unsubscribe": _present({"spuid": request.spuid, **common})}
    else:
        graphs = {"default-graph-uri": request.default_graphs, "named-graph-uri": request.named_graphs}
        named = {name: list(given) for name, given in graphs.items() if given}
        frame = {"subscribe": _present({"sparql": request.sparql, **common}) | named}
    return msgspec.json.encode(frame).decode()


class _Head(Struct, frozen=True):
    vars: tuple[str, ...] = ()


class _Bindings(Struct, frozen=True):
    bindings: tuple[dict[str, Any], ...] = ()


class _Document(Struct, frozen=True):
    head: _Head = _Head()
    results: _Bindings = _Bindings()

    def results_of(self) -> Results:
        return Results(self.head.vars, self.results.bindings)


class _NotificationMembers(Struct, frozen=True, rename={"added": "addedResults", "removed": "removedResults"}):
    spuid: str
    sequence: int
    alias: str | None = None
    added: _Document = _Document()
    removed: _Document = _Document()


class _AnswerFrame(Struct, frozen=True):
    notification: _NotificationMembers | UnsetType = UNSET
    unsubscribed: Unsubscribed | UnsetType = UNSET
    error: str | UnsetType = UNSET
    status_code: int = 500
    error_description: str = ""
    alias: str | None = None


def read_answer(frame: str | bytes) -> Answer:
    """What a server says. What is no frame of the protocol is a refusal as well."""
    try:
        read = msgspec.json.decode(frame, type=_AnswerFrame)
    except _UNREADABLE as error:
        return Refusal("bad_answer", 502, f"wanted a frame of SEPA's protocol, found another: {error}")
    if isinstance(read.notification, _NotificationMembers):
        told = read.notification
        return Notification(told.spuid, told.sequence, told.added.results_of(), told.removed.results_of(), told.alias)
    if isinstance(read.unsubscribed, Unsubscribed):
        return read.unsubscribed
    if isinstance(read.error, str):
        return Refusal(read.error, read.status_code, read.error_description, read.alias)
    return Refusal("bad_answer", 502, "wanted notification, unsubscribed or error, found none of them")


# HTTP


JsonQuad = Mapping[str, Mapping[str, Any]]


def update_answer(added: Sequence[JsonQuad], removed: Sequence[JsonQuad]) -> bytes:
    """The body after an update: quads with the terms of `graph`, `subject`, `predicate` and `object`."""
    response = {"body": "", "isJson": False}
    return msgspec.json.encode({"response": response, "quads": {"added": added, "removed": removed}})


def refusal_answer(refusal: Refusal) -> bytes:
    """The body of an error."""
    return msgspec.json.encode(_answer_members(refusal))


def registration_answer(client_id: str, client_secret: str) -> bytes:
    """The body after a registration. `signature` is a key that its clients keep, and do nothing with."""
    credentials = {"client_id": client_id, "client_secret": client_secret, "signature": {}}
    return msgspec.json.encode({"credentials": credentials})


def token_answer(token: str, seconds: int) -> bytes:
    """The body with a token: flat, and under `token` for clients of another age."""
    members = {"access_token": token, "token_type": "bearer", "expires_in": seconds}
    return msgspec.json.encode(members | {"token": members})


def identity_in(body: bytes) -> str | None:
    """Who wants to register. One client encodes the body twice, as a string."""
    read: Any = _decoded(body)
    if isinstance(read, str):
        read = _decoded(read.encode())
    asked = read.get("register") if isinstance(read, dict) else None
    identity = asked.get("client_identity") if isinstance(asked, dict) else None
    return identity if isinstance(identity, str) else None


def _decoded(body: bytes) -> object:
    try:
        return msgspec.json.decode(body)
    except _UNREADABLE:
        return None
