"""Frames of a space: many messages to a frame, and what is none is refused."""

from __future__ import annotations

import msgspec
import pytest

from triplewire.errors import MessageRefused
from triplewire.network.can.messages import VERSION, Address, Cast, TransferAck
from triplewire.network.messages import Probe
from triplewire.node.space.worker import message_codec
from triplewire.node.space.worker.message_codec import encode, frames, messages_in
from triplewire.node.transport import message_codec as super_peers


def cast(number: int, size: int = 10) -> Cast:
    return Cast(f"c{number}", Address("n", "tcp://127.0.0.1:1"), bytes(size), ((b"<g>", b"<s>", b"<p>", b"<o>"),))


def test_messages_for_one_node_share_a_frame():
    messages = [cast(number) for number in range(1_000)]
    [frame] = frames(map(encode, messages))
    assert messages_in(frame) == tuple(messages)


def test_a_frame_that_is_full_is_followed_by_another(monkeypatch):
    monkeypatch.setattr(message_codec, "FULL_BYTES", 1_000)
    messages = [cast(number, 300) for number in range(10)]
    made = list(frames(map(encode, messages)))
    assert len(made) > 3
    assert all(len(frame) < 1_100 for frame in made)
    assert [message for frame in made for message in messages_in(frame)] == messages


def test_a_message_that_is_larger_than_a_full_frame_has_one_of_its_own(monkeypatch):
    monkeypatch.setattr(message_codec, "FULL_BYTES", 1_000)
    made = list(frames(map(encode, [cast(1), cast(2, 5_000), cast(3)])))
    assert [len(messages_in(frame)) for frame in made] == [1, 1, 1]


def test_a_message_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(message_codec, "MOST_BYTES", 1_000)
    with pytest.raises(MessageRefused) as refused:
        encode(cast(1, 2_000))
    assert refused.value.fault == "size"


@pytest.mark.parametrize(
    ("fault", "frame"),
    [
        ("size", b""),
        ("size", bytes([VERSION])),
        ("version", bytes([VERSION + 100]) + msgspec.msgpack.encode([TransferAck("t", 0)])),
        ("content", bytes([VERSION]) + b"\xc1"),
        ("content", bytes([VERSION]) + msgspec.msgpack.encode([["no such message"]])),
        ("content", bytes([VERSION]) + msgspec.msgpack.encode(TransferAck("not in an array", 0))),
        ("content", next(frames([encode(TransferAck("t", 0))])) + b"more"),
    ],
)
def test_a12_what_is_no_frame_is_refused(fault: str, frame: bytes):
    with pytest.raises(MessageRefused) as refused:
        messages_in(frame)
    assert refused.value.fault == fault


def test_a_packet_of_super_peers_is_no_frame_of_a_space():
    with pytest.raises(MessageRefused):
        messages_in(super_peers.encode(Probe("sp-a")))
