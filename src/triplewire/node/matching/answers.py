"""What a subscription said about an event, as the JSON that waits in the outbox and goes out to its owner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from triplewire.matching import Match
from triplewire.rdf.sparql_json import json_binding
from triplewire.wire.reasons import Reason

_encode = msgspec.json.Encoder().encode


class StoredAnswer(Struct, frozen=True):
    """As it is kept. `construct` holds the triples of a CONSTRUCT, one N-Triples line each.

    `why` has what each solution stands on, if that was asked for. The rest is what views say (`node.views.answers`).
    """

    solutions: Raw | UnsetType = UNSET
    construct: Raw | UnsetType = UNSET
    change: int | UnsetType = UNSET
    variables: Raw | UnsetType = UNSET
    answer: Raw | UnsetType = UNSET
    added: Raw | UnsetType = UNSET
    removed: Raw | UnsetType = UNSET
    failed: str | UnsetType = UNSET
    why: Raw | UnsetType = UNSET


class Notification(Struct, frozen=True):
    """As it goes out, in this order of fields. `data` is the event as N-Quads, for subscriptions that want it."""

    event: str
    solutions: Raw | UnsetType
    position: int
    construct: Raw | UnsetType = UNSET
    data: str | UnsetType = UNSET
    change: int | UnsetType = UNSET
    variables: Raw | UnsetType = UNSET
    answer: Raw | UnsetType = UNSET
    added: Raw | UnsetType = UNSET
    removed: Raw | UnsetType = UNSET
    failed: str | UnsetType = UNSET
    why: Raw | UnsetType = UNSET

    @property
    def json(self) -> bytes:
        return _encode(self)


_decode = msgspec.json.Decoder(StoredAnswer).decode


def answer_of(match: Match, *, constructs: bool, why: Sequence[Reason] | None = None) -> bytes:
    """The answer of a match; `constructs` is whether it is a CONSTRUCT, whose triples may be none.

    `why` says what each solution stands on.
    """
    answer: dict[str, Any] = {"solutions": [json_binding(solution) for solution in match.solutions]}
    if constructs:
        answer["construct"] = [f"{triple} ." for triple in match.construct]
    if why is not None:
        answer["why"] = why
    return _encode(answer)


def notification(event: str, position: int, answer: bytes, nquads: bytes | None = None) -> Notification:
    """What goes out about an event: the answer, and as much of the event as its subscriber wants and may see."""
    kept = _decode(answer)
    data = UNSET if nquads is None else nquads.decode()
    return Notification(
        event,
        kept.solutions,
        position,
        kept.construct,
        data,
        kept.change,
        kept.variables,
        kept.answer,
        kept.added,
        kept.removed,
        kept.failed,
        kept.why,
    )
