"""What a client asks of a subscription service, out of JSON-LD or Turtle.

JSON-LD is read by the short names of the protocol's context: nothing is fetched (row A10). What a client asks for and a
node does not do, such as a rate, is refused by name.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from pyoxigraph import parse

from triplewire.errors import InputError, UnknownFormat
from triplewire.node.http.protocols.solid.descriptions import NOTIFY, OFFERED
from triplewire.rdf.formats import TURTLE
from triplewire.rdf.terms import RDF

_KNOWN = frozenset({"@context", "id", "type", "topic", "sendTo", "state", "accept"})
_JSON = (OFFERED[0], "application/json")


class Wanted(Struct, frozen=True):
    """A channel that a client asks for. `state` is the position after which it begins."""

    type: str
    topic: str
    send_to: str | None = None
    state: int | None = None


def wanted(body: bytes, media_type: str) -> Wanted:
    """Read a request, or raise `InputError`."""
    if media_type in _JSON:
        fields = _of_json(body)
    elif media_type in TURTLE.media_types:
        fields = _of_turtle(body)
    else:
        raise UnknownFormat(wanted=f"a channel as one of {', '.join(OFFERED)}", found=repr(media_type))
    if unknown := sorted(fields.keys() - _KNOWN):
        raise InputError(wanted="a channel with type, topic, sendTo and state", found=", ".join(unknown))
    kind, topic = (_text(fields, name) for name in ("type", "topic"))
    if kind is None or topic is None:
        raise InputError(wanted="a channel with a type and a topic", found="one without")
    return Wanted(kind.removeprefix(NOTIFY), topic, _text(fields, "sendTo"), _position(_text(fields, "state")))


def _of_json(body: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(wanted="a channel as a JSON object", found=str(error)) from None


def _of_turtle(body: bytes) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    try:
        quads = list(parse(body, format=TURTLE.syntax))
    except (SyntaxError, ValueError) as error:
        raise InputError(wanted="a channel in Turtle", found=str(error)) from None
    for quad in quads:
        name = "type" if quad.predicate == RDF["type"] else quad.predicate.value.removeprefix(NOTIFY)
        if name in fields:
            raise InputError(wanted=f"one {name}", found="several")
        fields[name] = getattr(quad.object, "value", None)
    return fields


def _text(fields: dict[str, Any], name: str) -> str | None:
    found = fields.get(name)
    if found is not None and not isinstance(found, str):
        raise InputError(wanted=f"{name} as text", found=repr(found)[:100])
    return found


def _position(state: str | None) -> int | None:
    if state is None:
        return None
    if not state.isascii() or not state.isdigit() or len(state) > 18:
        raise InputError(wanted="the state of an earlier notification", found=repr(state[:100]))
    return int(state)
