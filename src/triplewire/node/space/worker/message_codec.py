"""Frames of a space: a version, then the messages for one node, as an array of msgpack.

Many messages share a frame, since what a batch sends to one node goes out together. What is not of this version, too
large, or no message at all is refused here, before anything else sees it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

import msgspec

from triplewire.errors import MessageRefused
from triplewire.network.can.messages import VERSION
from triplewire.node.space.worker.messages import SpaceNodeMessage
from triplewire.rdf.limits import MIB

MOST_BYTES = 64 * MIB
# Beyond this another frame is begun: a receiver can begin with the first while the second is on its way.
FULL_BYTES = MIB
_ARRAY = struct.Struct(">BBI")
_ARRAY_32 = 0xDD
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[SpaceNodeMessage, ...])


def encode(message: SpaceNodeMessage) -> bytes:
    """A message as bytes, which `frames` puts together; `MessageRefused` if it is too large."""
    data = _encoder.encode(message)
    if len(data) > MOST_BYTES - _ARRAY.size:
        wanted = f"a message of at most {MOST_BYTES:,} bytes"
        raise MessageRefused("size", wanted=wanted, found=f"a {kind_of(message)} of {len(data):,}")
    return data


def frames(encoded: Iterable[bytes]) -> Iterator[bytes]:
    """The frames of some messages for one node."""
    parts: list[bytes] = []
    size = 0
    for part in encoded:
        if parts and size + len(part) > FULL_BYTES:
            yield _frame(parts)
            parts, size = [], 0
        parts.append(part)
        size += len(part)
    if parts:
        yield _frame(parts)


def messages_in(frame: bytes | memoryview) -> tuple[SpaceNodeMessage, ...]:
    """The messages of a frame, or `MessageRefused`.

    >>> from triplewire.network.can.messages import TransferAck
    >>> [messages_in(frame) for frame in frames([encode(TransferAck("t1", 0)), encode(TransferAck("t2", 0))])]
    [(TransferAck(id='t1', part=0), TransferAck(id='t2', part=0))]
    """
    if not 1 < len(frame) <= MOST_BYTES:
        raise MessageRefused("size", wanted=f"a frame of 2 to {MOST_BYTES:,} bytes", found=f"{len(frame):,}")
    if frame[0] != VERSION:
        raise MessageRefused("version", wanted=f"messages of version {VERSION}", found=f"version {frame[0]}")
    try:
        return _decoder.decode(frame[1:])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MessageRefused("content", wanted="messages of a space", found=f"something else: {error}") from None


def kind_of(message: SpaceNodeMessage) -> str:
    """The kind of a message, for counters: its tag."""
    return str(message.__struct_config__.tag)


def _frame(parts: list[bytes]) -> bytes:
    return b"".join((_ARRAY.pack(VERSION, _ARRAY_32, len(parts)), *parts))
