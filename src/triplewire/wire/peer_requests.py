"""What the owner of a peer asks its super-peer about rules, over the peer's session, and the answers.

They are what a client asks by HTTP, and the answers are the same Structs. A transaction that is submitted is executed
by the peer.
"""

from __future__ import annotations

from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct

from triplewire.errors import MessageRefused
from triplewire.wire.network_rules import (
    AbortName,
    NetworkRule,
    NetworkRules,
    NetworkTrace,
    NetworkTransaction,
    RuleRelevance,
)

Seconds = Annotated[float, Meta(ge=0, le=3600)]
T = TypeVar("T", bound=Struct)


class PutRule(Struct, frozen=True, tag="put rule"):
    """Register a rule; one of the same name that the peer has registered is replaced."""

    name: str
    text: str
    abort: AbortName | None = None


class RemoveRule(Struct, frozen=True, tag="remove rule"):
    """Unregister a rule, by its name or its global identifier."""

    rule: str


class ListRules(Struct, frozen=True, tag="list rules"):
    """The rules that the super-peer holds and the peer may see."""


class FindRelevance(Struct, frozen=True, tag="relevance"):
    """Whom a rule concerns, and why."""

    text: str
    seconds: Seconds


class SubmitUpdates(Struct, frozen=True, tag="submit"):
    """A transaction of the network that the peer executes."""

    text: str
    seconds: Seconds


class WithdrawTransaction(Struct, frozen=True, tag="withdraw"):
    unit: str


class FindTransaction(Struct, frozen=True, tag="transaction"):
    unit: str


class TraceTransaction(Struct, frozen=True, tag="trace"):
    unit: str
    seconds: Seconds


PeerRequest = (
    PutRule
    | RemoveRule
    | ListRules
    | FindRelevance
    | SubmitUpdates
    | WithdrawTransaction
    | FindTransaction
    | TraceTransaction
)


class Removed(Struct, frozen=True):
    """The rule is registered no more."""


PeerAnswer = NetworkRule | NetworkRules | NetworkTrace | NetworkTransaction | RuleRelevance | Removed

_encode = msgspec.msgpack.Encoder().encode
_request = msgspec.msgpack.Decoder(PeerRequest)


def encode(message: PeerRequest | PeerAnswer) -> bytes:
    """A request or an answer for the session."""
    return _encode(message)


def decode_request(body: bytes) -> PeerRequest:
    """Raises `MessageRefused`."""
    try:
        request: PeerRequest = _request.decode(body)
    except (ValueError, RecursionError) as problem:
        raise MessageRefused("request", wanted="a request about rules", found=f"{problem}") from None
    return request


def decode_answer(body: bytes, answer: type[T]) -> T:
    """The answer to a request, which says of what type it is. Raises `MessageRefused`."""
    try:
        return msgspec.msgpack.decode(body, type=answer)
    except (ValueError, RecursionError) as problem:
        raise MessageRefused("answer", wanted=f"an answer about rules: {answer.__name__}", found=f"{problem}") from None
