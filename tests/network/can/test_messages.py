"""The wire format of the space has tags and a version of its own."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from triplewire.network.can import messages
from triplewire.network.can.geometry.space import SPACE
from triplewire.network.can.messages import Claim, Heartbeat, Join, Message, Record

TAGS = {
    "cast",
    "heartbeat",
    "join",
    "multicast",
    "receipts",
    "records",
    "records-wanted",
    "replica",
    "replica-ack",
    "replica-obsolete",
    "replica-kept",
    "transfer",
    "transfer-ack",
    "transfer-refused",
}


def test_tags_are_part_of_the_format():
    assert {kind.__struct_config__.tag for kind in get_args(Message)} == TAGS
    assert messages.VERSION == 2


def test_zones_and_points_travel_as_bytes():
    record = Record("n1", "tcp://n1", claims=(Claim(SPACE, 3),), holder="n2", load=7)
    point = (b"\xff\x00", b"", b"<p>", b"<o>")
    for message in (
        Heartbeat(record, (messages.Sighting("n2", "tcp://n2", 1, 4),), records=(record,), yours=(1, 2)),
        Join(messages.Address("n1", "tcp://n1"), "nonce", point, SPACE),
    ):
        assert msgspec.msgpack.Decoder(Message).decode(msgspec.msgpack.encode(message)) == message


def test_an_unknown_tag_is_refused():
    with pytest.raises(msgspec.ValidationError):
        msgspec.msgpack.Decoder(Message).decode(msgspec.msgpack.encode(["beat", 1]))
