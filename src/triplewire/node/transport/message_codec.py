"""Packets of super-peers as bytes: a version, then msgpack.

What is not of this version, too large, or no packet at all is refused here, before anything else sees it.
"""

from __future__ import annotations

import msgspec

from triplewire.errors import MessageRefused
from triplewire.network.messages import VERSION, LinkFrame, Packet
from triplewire.rdf.limits import MIB

MOST_BYTES = 64 * MIB
_VERSION = bytes([VERSION])
_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Packet] = msgspec.msgpack.Decoder(Packet)


def encode(packet: Packet) -> bytes:
    """A packet as bytes."""
    data = _VERSION + _encoder.encode(packet)
    if len(data) > MOST_BYTES:
        raise MessageRefused("size", wanted=f"a message of at most {MOST_BYTES:,} bytes", found=f"{len(data):,}")
    return data


def decode(data: bytes | memoryview) -> Packet:
    """The packet, or `MessageRefused`.

    >>> from triplewire.network.messages import Probe
    >>> decode(encode(Probe("sp-a")))
    Probe(about='sp-a')
    """
    if not 1 < len(data) <= MOST_BYTES:
        raise MessageRefused("size", wanted=f"a message of 2 to {MOST_BYTES:,} bytes", found=f"{len(data):,}")
    if data[0] != VERSION:
        raise MessageRefused("version", wanted=f"a message of version {VERSION}", found=f"version {data[0]}")
    try:
        return _decoder.decode(data[1:])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MessageRefused("content", wanted="a message of super-peers", found=f"something else: {error}") from None


def kind_of(packet: Packet) -> str:
    """The kind of a packet, for counters: the tag of its message, or `ack`.

    >>> kind_of(LinkFrame(1, 0, 0, 7))
    'ack'
    """
    said = packet.message if isinstance(packet, LinkFrame) else packet
    return "ack" if said is None else str(said.__struct_config__.tag)
