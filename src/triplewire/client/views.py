"""Views at a node: what a client asks for, and what it makes of what they say. Pure, and the same for both clients."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import Struct

from triplewire.client.calls import MEDIA_TYPES, Call, decoded
from triplewire.client.follower import Following, triples_in
from triplewire.rdf.solutions import Solutions, Triples
from triplewire.rdf.sparql_json import json_binding, solution_of
from triplewire.wire.answers import ViewExplanation, ViewList, ViewStatus
from triplewire.wire.reasons import AnswerReasons

# Rows of a SELECT, triples of a CONSTRUCT or DESCRIBE, yes or no of an ASK.
Said = Solutions | Triples | bool


class ViewNotification(Struct, frozen=True):
    """What a view says: its whole `answer` first, then what a change `added` and `removed`; `failed` is its last word.

    `position` is what to acknowledge, `change` the position of the change in the journal of the living graph. Of an
    ASK, `added` is what the answer is now and `removed` what it was. `why` has what each item stands on, in the same
    order, where that was asked for.
    """

    event: str
    position: int
    change: int
    answer: Said | None = None
    added: Said | None = None
    removed: Said | None = None
    failed: str | None = None
    why: AnswerReasons | None = None

    @property
    def is_first(self) -> bool:
        return self.answer is not None

    @property
    def json(self) -> dict[str, Any]:
        """As the node sends it: solutions in SPARQL 1.1's JSON form, triples in N-Triples."""
        said = {"answer": self.answer, "added": self.added, "removed": self.removed}
        parts = {name: _json(part) for name, part in said.items() if part is not None}
        named = {"event": self.event, "position": self.position, "change": self.change}
        why = None if self.why is None else msgspec.json.decode(msgspec.json.encode(self.why))
        more = {"failed": self.failed, "why": why}
        return named | parts | {name: part for name, part in more.items() if part is not None}


class ViewPage(Struct, frozen=True):
    """What a view says, in order. `next` is where to read on, None at the end; `gap` the last that was lost unread."""

    notifications: list[ViewNotification]
    next: int | None
    gap: int | None


class ViewFollower(Following[ViewNotification]):
    """The state of one reader of a view."""

    def _notification(self, data: str) -> ViewNotification:
        return _notification(msgspec.json.decode(data, type=_Sent))


class _Sent(Struct, frozen=True):
    """A notification as it is on the wire."""

    event: str
    position: int
    change: int
    variables: list[str] = []
    answer: bool | list[Any] | None = None
    added: bool | list[Any] | None = None
    removed: bool | list[Any] | None = None
    failed: str | None = None
    why: AnswerReasons | None = None


class _SentPage(Struct, frozen=True):
    notifications: list[_Sent]
    next: int | None = None
    gap: int | None = None


def _notification(sent: _Sent) -> ViewNotification:
    answer, added, removed = (_said(part, sent.variables) for part in (sent.answer, sent.added, sent.removed))
    return ViewNotification(sent.event, sent.position, sent.change, answer, added, removed, sent.failed, sent.why)


def _said(part: bool | list[Any] | None, variables: list[str]) -> Said | None:
    if part is None or isinstance(part, bool):
        return part
    if part and isinstance(part[0], str):
        return triples_in(part)
    return Solutions(map(solution_of, part), variables)


def _json(said: Said) -> Any:
    if isinstance(said, bool):
        return said
    if isinstance(said, Triples):
        return [f"{triple} ." for triple in said]
    return [json_binding(solution) for solution in said]


# Calls


VIEWS = Call("GET", "/views")


def path_of(name: str) -> str:
    """Where a view is."""
    return f"/views/{quote(name, safe='')}"


def put(name: str, query: str, window: float | None, retention: float | None, *, why: bool) -> Call:
    given = {"window": window, "retention": retention, "why": "true" if why else None}
    params = {key: str(value) for key, value in given.items() if value is not None}
    return Call("PUT", path_of(name), params, {"content-type": MEDIA_TYPES["sparql"]}, query.encode())


def get(name: str) -> Call:
    return Call("GET", path_of(name))


def read(name: str, after: int | None, limit: int, wait: float) -> Call:
    params = {"limit": str(limit), "wait": str(wait)} | ({} if after is None else {"after": str(after)})
    return Call("GET", f"{path_of(name)}/notifications", params)


def page(content: bytes) -> ViewPage:
    sent = decoded(content, _SentPage)
    return ViewPage([_notification(one) for one in sent.notifications], sent.next, sent.gap)


def delete(name: str) -> Call:
    return Call("DELETE", path_of(name))


def reset(name: str) -> Call:
    return Call("POST", f"{path_of(name)}/reset")


def explain(name: str) -> Call:
    return Call("GET", f"{path_of(name)}/explain")


def status(content: bytes) -> ViewStatus:
    return decoded(content, ViewStatus)


def statuses(content: bytes) -> list[ViewStatus]:
    return decoded(content, ViewList).views


def explanation(content: bytes) -> ViewExplanation:
    return decoded(content, ViewExplanation)
