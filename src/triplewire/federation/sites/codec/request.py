"""What a peer is asked, as text and numbers."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from triplewire.federation.sites.codec.changes import (
    ClassTexts,
    EditsText,
    LookupTexts,
    Name,
    Number,
    PrivilegesText,
    classes_of,
    classes_text,
    edits_of,
    edits_text,
    lookups_of,
    lookups_text,
    privileges_of,
    privileges_text,
)
from triplewire.federation.sites.codec.statements import action_of, action_text, query_of, query_text
from triplewire.federation.sites.privileges import Privileges
from triplewire.federation.sites.requests import (
    Compensate,
    Detect,
    Execute,
    Forget,
    FromSuperPeer,
    Match,
    Numbered,
    Received,
    Request,
)
from triplewire.federation.sites.terms import delta_of, delta_text


class ExecuteText(Struct, frozen=True, tag="execute", array_like=True):
    unit: Name
    action: str
    delta: dict[str, str] | None = None
    classes: ClassTexts = {}
    guard: PrivilegesText | None = None
    owner: Annotated[str, Meta(max_length=1_000)] = ""


class DetectText(Struct, frozen=True, tag="detect", array_like=True):
    of: Number
    queries: tuple[str, ...]


class CompensateText(Struct, frozen=True, tag="compensate", array_like=True):
    edits: EditsText


RequestText = ExecuteText | DetectText | CompensateText


class NumberedText(Struct, frozen=True, tag="numbered", array_like=True):
    number: Number
    request: RequestText


class MatchText(Struct, frozen=True, tag="match", array_like=True):
    query: Name
    lookups: LookupTexts
    guard: PrivilegesText | None = None


class ReceivedText(Struct, frozen=True, tag="received", array_like=True):
    upto: Number


class ForgetText(Struct, frozen=True, tag="forget", array_like=True):
    upto: Number


FromSuperPeerText = NumberedText | MatchText | ReceivedText | ForgetText


def from_super_peer_text(message: FromSuperPeer) -> FromSuperPeerText:
    match message:
        case Numbered(number, request):
            return NumberedText(number, _request_text(request))
        case Match(query, lookups, guard):
            return MatchText(query, lookups_text(lookups), _guard_text(guard))
        case Received(upto):
            return ReceivedText(upto)
        case Forget(upto):
            return ForgetText(upto)


def from_super_peer_of(text: FromSuperPeerText) -> FromSuperPeer:
    match text:
        case NumberedText(number, request):
            return Numbered(number, _request_of(request))
        case MatchText(query, lookups, guard):
            return Match(query, lookups_of(lookups), _guard_of(guard))
        case ReceivedText(upto):
            return Received(upto)
        case ForgetText(upto):
            return Forget(upto)


def _request_text(request: Request) -> RequestText:
    match request:
        case Execute(unit, action, lets, delta, classes, guard, owner):
            text = action_text(action, lets)
            return ExecuteText(unit, text, delta_text(delta), classes_text(classes), _guard_text(guard), owner)
        case Detect(of, queries):
            return DetectText(of, tuple(map(query_text, queries)))
        case Compensate(edits):
            return CompensateText(edits_text(edits))


def _request_of(text: RequestText) -> Request:
    match text:
        case ExecuteText(unit, said, delta, classes, guard, owner):
            action, lets = action_of(said)
            return Execute(unit, action, lets, delta_of(delta), classes_of(classes), _guard_of(guard), owner)
        case DetectText(of, queries):
            return Detect(of, tuple(map(query_of, queries)))
        case CompensateText(edits):
            return Compensate(edits_of(edits))


def _guard_text(guard: Privileges | None) -> PrivilegesText | None:
    return None if guard is None else privileges_text(guard)


def _guard_of(text: PrivilegesText | None) -> Privileges | None:
    return None if text is None else privileges_of(text)
