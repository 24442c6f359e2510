"""What a peer and its super-peer say to each other over a session, as bytes: the peer joins, then both go on.

peer         Join     all that it has, each time that a session has begun, and again until it is answered
super-peer   Joined   it is part of the group
super-peer   NotJoined   or not, and why
both         Said     a message of `requests`
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from triplewire.errors import MessageRefused
from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.sites.codec import (
    decode_from_peer,
    decode_from_super_peer,
    decode_view,
    encode_from_peer,
    encode_from_super_peer,
    encode_view,
)
from triplewire.federation.sites.requests import FromPeer, FromSuperPeer


class Join(Struct, frozen=True, tag="join", array_like=True):
    """A peer is here. The view is as of everything before `next_serial`, or later."""

    view: bytes
    next_serial: Annotated[int, Meta(ge=1, le=2**53)]


class Joined(Struct, frozen=True, tag="joined", array_like=True):
    """The peer is in the group."""


class NotJoined(Struct, frozen=True, tag="not joined", array_like=True):
    """The peer is not in the group."""

    wanted: str
    found: str


class Said(Struct, frozen=True, tag="said", array_like=True):
    """A message, encoded."""

    message: bytes


_encode = msgspec.msgpack.Encoder().encode
_of_peer = msgspec.msgpack.Decoder(Join | Said)
_of_super_peer = msgspec.msgpack.Decoder(Joined | NotJoined | Said)


class Joining(Struct, frozen=True):
    """`Join`, read."""

    view: PeerView
    next_serial: int


def join(view: PeerView, next_serial: int) -> bytes:
    return _encode(Join(encode_view(view), next_serial))


def said_by_peer(message: FromPeer) -> bytes:
    return _encode(Said(encode_from_peer(message)))


def said_by_super_peer(message: FromSuperPeer) -> bytes:
    return _encode(Said(encode_from_super_peer(message)))


def answer_to_join(answer: Joined | NotJoined) -> bytes:
    return _encode(answer)


def read_at_super_peer(body: bytes) -> Joining | FromPeer:
    """What a peer has said. Raises `MessageRefused`."""
    try:
        found = _of_peer.decode(body)
    except (ValueError, RecursionError) as problem:
        raise MessageRefused("body", wanted="what a peer says about rules", found=f"{problem}") from None
    if isinstance(found, Join):
        return Joining(decode_view(found.view), found.next_serial)
    return decode_from_peer(found.message)


def read_at_peer(body: bytes) -> Joined | NotJoined | FromSuperPeer:
    """What the super-peer has said. Raises `MessageRefused`."""
    try:
        found = _of_super_peer.decode(body)
    except (ValueError, RecursionError) as problem:
        raise MessageRefused("body", wanted="what a super-peer says about rules", found=f"{problem}") from None
    return decode_from_super_peer(found.message) if isinstance(found, Said) else found
