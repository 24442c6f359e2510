"""What access points say to each other about their peers. It travels as the body of `SuperPeer.relay`.

A link may break with a word on it, so each question is asked again by the peer that wants an answer; each can be
answered twice. `hops` counts how often a question went on to where a peer has moved.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec import Struct

from triplewire.errors import SessionRefused
from triplewire.network.sessions.envelopes import Reason
from triplewire.network.sessions.peer_messages import Identifier, Short, Station, Token

VERSION = 1
MOST_HOPS = 8


class Where(Struct, frozen=True, tag="where", array_like=True):
    """A peer of `access_point` wants to know where the owner of a resource is."""

    access_point: Station
    requester: Identifier
    ask: int
    owner: Identifier
    hops: int = 0


class There(Struct, frozen=True, tag="there", array_like=True):
    """The answer. `access_point` is empty where nobody knows the peer."""

    requester: Identifier
    ask: int
    owner: Identifier
    is_online: bool
    address: Short
    access_point: str


class RendezvousAsked(Struct, frozen=True, tag="rendezvous", array_like=True):
    """The identifiers of both, the requester's access point and the location of the resource, as the paper has it."""

    access_point: Station
    requester: Identifier
    id: Token
    owner: Identifier
    location: Short
    hops: int = 0


class RendezvousAnswered(Struct, frozen=True, tag="agreed", array_like=True):
    """It is remembered; or not, and `problem` says why."""

    requester: Identifier
    id: Token
    problem: Short = ""


class ResourceUploaded(Struct, frozen=True, tag="uploaded", array_like=True):
    """The owner's upload on its way to the requester's access point."""

    requester: Identifier
    id: Token
    owner: Identifier
    location: Short
    content: bytes
    problem: Short = ""


class Verdict(StrEnum):
    """What became of an upload."""

    KEPT = "kept"
    UNWANTED = "unwanted"
    GONE = "gone"
    FULL = "full"


class UploadAnswered(Struct, frozen=True, tag="kept", array_like=True):
    """What the requester's access point did with it."""

    requester: Identifier
    id: Token
    owner: Identifier
    verdict: Verdict


Between = Where | There | RendezvousAsked | RendezvousAnswered | ResourceUploaded | UploadAnswered

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Between).decode


def write(word: Between) -> bytes:
    """A word as the body of a relay."""
    return bytes([VERSION]) + _encode(word)


def read(body: bytes) -> Between:
    """The word in a body, or `SessionRefused`."""
    if body[:1] != bytes([VERSION]):
        raise SessionRefused(Reason.VERSION, f"a word of version {VERSION}", f"{body[:1].hex() or 'nothing'}")
    try:
        word: Between = _decode(body[1:])
    except (ValueError, RecursionError) as problem:
        raise SessionRefused(Reason.MALFORMED, "a word between access points", f"{problem}") from None
    return word
