"""Requests to a peer, what a peer tells, and what it has when it joins: to bytes and back.

Bytes of strangers are at most as many as a document may have, and nothing in them nests deeper than triple terms in a
document may. A name has a length, a number a range; rules and terms are read by their parsers, each with its limits.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from triplewire.errors import InputError, MessageRefused
from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.sites.codec.peer import FromPeerText, from_peer_of, from_peer_text
from triplewire.federation.sites.codec.request import FromSuperPeerText, from_super_peer_of, from_super_peer_text
from triplewire.federation.sites.codec.view import ViewText, view_of, view_text
from triplewire.federation.sites.requests import FromPeer, FromSuperPeer
from triplewire.rdf.limits import DEFAULT_LIMITS

_Text = TypeVar("_Text")

_ENCODER = msgspec.msgpack.Encoder()
_REQUESTS: msgspec.msgpack.Decoder[FromSuperPeerText] = msgspec.msgpack.Decoder(FromSuperPeerText)
_TOLD: msgspec.msgpack.Decoder[FromPeerText] = msgspec.msgpack.Decoder(FromPeerText)
_VIEWS = msgspec.msgpack.Decoder(ViewText)


def encode_from_super_peer(message: FromSuperPeer) -> bytes:
    return _ENCODER.encode(from_super_peer_text(message))


def decode_from_super_peer(data: bytes) -> FromSuperPeer:
    """Raises `MessageRefused`."""
    text = _read(_REQUESTS, data, "a request of a super-peer")
    try:
        return from_super_peer_of(text)
    except InputError as error:
        raise _refused("a request of a super-peer", error.message) from None


def encode_from_peer(message: FromPeer) -> bytes:
    return _ENCODER.encode(from_peer_text(message))


def decode_from_peer(data: bytes) -> FromPeer:
    """Raises `MessageRefused`."""
    text = _read(_TOLD, data, "what a peer tells")
    try:
        return from_peer_of(text)
    except InputError as error:
        raise _refused("what a peer tells", error.message) from None


def encode_view(view: PeerView) -> bytes:
    return _ENCODER.encode(view_text(view))


def decode_view(data: bytes) -> PeerView:
    """Raises `MessageRefused`."""
    text = _read(_VIEWS, data, "what a peer has")
    try:
        return view_of(text)
    except InputError as error:
        raise _refused("what a peer has", error.message) from None


def _read(decoder: msgspec.msgpack.Decoder[_Text], data: bytes, wanted: str) -> _Text:
    if len(data) > DEFAULT_LIMITS.document_bytes:
        raise _refused(f"{wanted}, of at most {DEFAULT_LIMITS.document_bytes:,} bytes", f"{len(data):,} bytes")
    try:
        return decoder.decode(data)
    except (ValueError, RecursionError) as error:
        # Text that is no UTF-8 is another ValueError than msgspec's own.
        raise _refused(wanted, str(error)) from None


def _refused(wanted: str, found: str) -> MessageRefused:
    return MessageRefused("message", wanted=wanted, found=found)
