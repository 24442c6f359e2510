"""Bodies of messages from other members: read, and checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from triplewire.errors import MessageRefused
from triplewire.network.eventspace import messages
from triplewire.network.eventspace.fetches import PAGE, FetchQuads, QuadsRead
from triplewire.network.eventspace.quads import SpelledTriple
from triplewire.network.eventspace.screening.headers import (
    check_boxes,
    check_header,
    check_key,
    check_subscription,
    check_waiting,
)
from triplewire.network.eventspace.screening.rows import check_event_name, check_points, check_rows

Body: TypeAlias = messages.SpaceMessage | FetchQuads | QuadsRead | messages.NodeLeft | messages.Relay

_DECODER: msgspec.msgpack.Decoder[Body] = msgspec.msgpack.Decoder(Body)


def body_in(data: bytes) -> Body:
    """The message of a body, or `MessageRefused`."""
    try:
        body = _DECODER.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MessageRefused("content", wanted="a message of the event space", found=str(error)) from None
    check = _CHECKS.get(type(body))
    if check is not None:
        check(body)
    return body


def _check_removal(message: messages.RemoveSubscription) -> None:
    check_key(message.key)
    check_boxes(message.bounds)


def _check_rematch(message: messages.RematchEvents) -> None:
    for header in message.headers:
        check_header(header)


def _check_quad(message: messages.StoreQuad) -> None:
    check_header(message.header)
    check_rows((message.row,))


def _check_event(message: messages.StoreEvent) -> None:
    check_header(message.header)
    _check_whole(message.header, message.rows)


def _check_candidate(message: messages.CandidateFound) -> None:
    check_header(message.header)
    if message.rows is not None:
        _check_whole(message.header, message.rows)


def _check_whole(header: messages.EventHeader, rows: tuple[SpelledTriple, ...]) -> None:
    check_rows(rows)
    if len(set(rows)) != header.size or len(rows) != header.size:
        raise MessageRefused("header", wanted=f"{header.size} quadruples", found=str(len(rows)))


def _check_asking(message: messages.AskSettled) -> None:
    check_event_name(message.event)


def _check_found(message: messages.QuadsFound) -> None:
    check_rows(message.rows)


def _check_question(message: FetchQuads) -> None:
    if not 0 < message.limit <= PAGE:
        raise MessageRefused("fetch", wanted=f"pages of 1 to {PAGE:,} quadruples", found=str(message.limit))


def _check_answer(message: QuadsRead) -> None:
    check_boxes(message.boxes)
    check_points(message.quads)
    if not message.is_all and not message.quads:
        raise MessageRefused("fetch", wanted="quadruples before more of them", found="none")


_CHECKS: dict[type, Callable[[Any], None]] = {
    messages.IndexSubscription: lambda message: check_subscription(message.subscription),
    messages.RemoveSubscription: _check_removal,
    messages.MatchRewritten: check_waiting,
    messages.RematchEvents: _check_rematch,
    messages.CollectEvent: check_waiting,
    messages.StoreQuad: _check_quad,
    messages.StoreEvent: _check_event,
    messages.AskSettled: _check_asking,
    messages.CandidateFound: _check_candidate,
    messages.QuadsFound: _check_found,
    FetchQuads: _check_question,
    QuadsRead: _check_answer,
}
