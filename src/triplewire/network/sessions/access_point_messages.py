"""Messages between access points about their peers, sent as the body of `SuperPeer.relay`.

A link may lose a message, so each request is repeated by the peer that waits for the answer; each can be answered
twice. `hops` counts how often a request was forwarded to where a peer has moved.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec import Struct

from triplewire.errors import SessionRefused
from triplewire.network.sessions.envelopes import Reason
from triplewire.network.sessions.peer_messages import AccessPointId, PeerId, Short, Token

VERSION = 1
MOST_HOPS = 8


class LocatePeer(Struct, frozen=True, tag="where", array_like=True):
    """A peer of `access_point` asks for the location of the owner of a resource."""

    access_point: AccessPointId
    requester: PeerId
    request_id: int
    owner: PeerId
    hops: int = 0


class PeerLocation(Struct, frozen=True, tag="there", array_like=True):
    """The location of a peer. `access_point` is empty if the peer is unknown."""

    requester: PeerId
    request_id: int
    owner: PeerId
    is_online: bool
    address: Short
    access_point: str


class RendezvousAsked(Struct, frozen=True, tag="rendezvous", array_like=True):
    """The identifiers of both, the requester's access point and the location of the resource, as the paper has it."""

    access_point: AccessPointId
    requester: PeerId
    id: Token
    owner: PeerId
    location: Short
    hops: int = 0


class RendezvousAnswered(Struct, frozen=True, tag="agreed", array_like=True):
    """The request is accepted; or not, and `problem` says why."""

    requester: PeerId
    id: Token
    problem: Short = ""


class ResourceUploaded(Struct, frozen=True, tag="uploaded", array_like=True):
    """The owner's upload, for the requester's access point."""

    requester: PeerId
    id: Token
    owner: PeerId
    location: Short
    content: bytes
    problem: Short = ""


class UploadOutcome(StrEnum):
    """The outcome of an upload."""

    KEPT = "kept"
    UNWANTED = "unwanted"
    GONE = "gone"
    FULL = "full"


class UploadAnswered(Struct, frozen=True, tag="kept", array_like=True):
    """The answer to an upload."""

    requester: PeerId
    id: Token
    owner: PeerId
    upload_outcome: UploadOutcome


Message = LocatePeer | PeerLocation | RendezvousAsked | RendezvousAnswered | ResourceUploaded | UploadAnswered

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Message).decode


def encode(message: Message) -> bytes:
    """A message as the body of a relay."""
    return bytes([VERSION]) + _encode(message)


def decode(body: bytes) -> Message:
    """The message in a body, or `SessionRefused`."""
    if body[:1] != bytes([VERSION]):
        raise SessionRefused(Reason.VERSION, f"a message of version {VERSION}", f"{body[:1].hex() or 'ignore_outcome'}")
    try:
        message: Message = _decode(body[1:])
    except (ValueError, RecursionError) as problem:
        raise SessionRefused(Reason.MALFORMED, "a message between access points", f"{problem}") from None
    return message
