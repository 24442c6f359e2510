"""Server-sent events: framing, and that no cut shows half a frame."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.errors import LimitExceeded
from triplewire.wire.eventstream import HEARTBEAT, Frame, FrameReader, frame_bytes, retry_bytes


def read(*pieces: bytes) -> list[Frame]:
    reader = FrameReader()
    return [frame for piece in pieces for frame in reader.feed(piece)]


STREAM = (
    retry_bytes(1000)
    + frame_bytes('{"x":"é🎈"}'.encode(), kind="notification", id="1")
    + HEARTBEAT
    + frame_bytes(b'{"y":2}', kind="gap", id="2")
)
WHOLE = [Frame('{"x":"é🎈"}', "notification", "1"), Frame('{"y":2}', "gap", "2")]


def test_what_is_written_is_read():
    assert read(STREAM) == WHOLE


@pytest.mark.parametrize("cut", range(len(STREAM) + 1))
def test_cut_into_two_anywhere_it_reads_the_same(cut):
    assert read(STREAM[:cut], STREAM[cut:]) == WHOLE


@pytest.mark.parametrize("ending", [b"\n", b"\r", b"\r\n"])
def test_each_line_ending_of_the_standard_byte_by_byte(ending):
    stream = STREAM.replace(b"\n", ending)
    assert read(*(stream[at : at + 1] for at in range(len(stream)))) == WHOLE


@pytest.mark.parametrize("cut", range(len(STREAM) + 1))
def test_the_last_id_is_that_of_the_last_whole_frame(cut):
    reader = FrameReader()
    frames = list(reader.feed(STREAM[:cut]))
    assert reader.last_id == (frames[-1].id if frames else "")


def test_several_data_lines_are_joined_and_comments_left_out():
    assert read(b"\xef\xbb\xbfdata: a\n: hm\ndata:b\nunknown: c\n\n") == [Frame("a\nb")]


def test_an_id_with_a_null_is_left_out():
    assert read(b"id: 1\0\ndata: a\n\n") == [Frame("a")]


@pytest.mark.parametrize("piece", [b"data: aaaaaaaa", b"data: aaaaaaaa\n"])
def test_a_frame_without_end_is_refused_before_memory_is(piece):
    reader = FrameReader(max_frame_bytes=100)
    with pytest.raises(LimitExceeded):
        list(chain.from_iterable(reader.feed(piece) for _ in range(1000)))


@given(st.lists(st.binary(max_size=8), max_size=12))
def test_anything_can_come_and_how_it_is_cut_changes_nothing(pieces):
    assert read(*pieces) == read(b"".join(pieces))
