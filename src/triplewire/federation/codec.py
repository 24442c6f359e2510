"""Messages between super-peers as bytes: what is delivered one by one, and what is broadcast."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from triplewire.errors import MessageRefused
from triplewire.federation.delivery import Acknowledgement, Parcel
from triplewire.federation.messages import Message

_MARK = b"tw:rules:1:"


class Announced(Struct, frozen=True, tag="all", array_like=True):
    """A message that was broadcast, and by whom."""

    sender: str
    message: Message


Body = Parcel | Acknowledgement | Announced

_ENCODER = msgspec.msgpack.Encoder()
_DECODER: msgspec.msgpack.Decoder[Body] = msgspec.msgpack.Decoder(Body)


def is_about_rules(body: bytes) -> bool:
    """Whether a body is one of these. Others have theirs on the same network."""
    return body.startswith(_MARK)


def encode(body: Body) -> bytes:
    return _MARK + _ENCODER.encode(body)


def decode(data: bytes) -> Body:
    """Raises `MessageRefused`."""
    if not is_about_rules(data):
        raise MessageRefused("mark", wanted="a message about rules", found="something else")
    try:
        return _DECODER.decode(memoryview(data)[len(_MARK) :])
    except (ValueError, RecursionError) as error:
        # Text that is no UTF-8 is another ValueError than msgspec's own.
        raise MessageRefused("message", wanted="a message about rules", found=str(error)) from None
