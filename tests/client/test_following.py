"""Resume: a stream cut anywhere, any number of times, gives each notification exactly once."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.client.follower import BACKOFF, Follower, Gap, Notification
from triplewire.errors import NodeRefused, TriplewireError
from triplewire.rdf.solutions import Solutions
from triplewire.rdf.terms import Literal
from triplewire.wire.eventstream import HEARTBEAT, frame_bytes, retry_bytes


def text(size: int) -> dict[str, str]:
    return {"type": "literal", "value": "é" * size}


def frame(position: int) -> bytes:
    body = {"event": f"urn:event:{position}", "position": position, "solutions": [{"x": text(position)}]}
    return frame_bytes(msgspec.json.encode(body), kind="notification", id=str(position))


POSITIONS = [2, 3, 5, 8]


def stream(last_id: str | None) -> bytes:
    """What a node sends to a reader that names this id."""
    after = int(last_id or 0)
    return retry_bytes(100) + HEARTBEAT.join(frame(position) for position in POSITIONS if position > after)


def follow(*cuts: int) -> list[int]:
    """Read with the connection cut after so many bytes each time; the last one is whole."""
    follower, seen = Follower(), []
    for cut in (*cuts, None):
        sent = stream(follower.headers().get("last-event-id"))
        seen += [item.position for item in follower.received(sent[:cut])]
    return seen


@pytest.mark.parametrize("cut", range(len(stream(None)) + 1))
def test_resume_cut_at_every_byte_each_notification_comes_exactly_once(cut):
    assert follow(cut) == POSITIONS


@given(st.lists(st.integers(0, len(stream(None))), max_size=8))
def test_resume_cut_many_times(cuts):
    assert follow(*cuts) == POSITIONS


def test_f9_repeats_and_what_comes_late_are_dropped():
    follower = Follower()
    sent = b"".join(frame(position) for position in (2, 2, 3, 2, 3, 5, 5))
    assert [item.position for item in follower.received(sent)] == [2, 3, 5]


def test_f9_a_node_that_ignores_last_event_id_still_counts_once():
    follower = Follower(after=3)
    assert [item.position for item in follower.received(stream(None))] == [5, 8]


def test_a_gap_is_told_once_and_moves_on():
    follower = Follower(after=1)
    sent = frame_bytes(b'{"after":1,"until":4}', kind="gap", id="4")
    assert list(follower.received(sent + sent + frame(5))) == [
        Gap(1, 4),
        Notification("urn:event:5", 5, Solutions([{"x": Literal("é" * 5)}])),
    ]


def test_delays_grow_to_a_bound_and_begin_again_after_something_arrived():
    follower = Follower()
    delays = [follower.lost(1.0) for _ in range(50)]
    assert delays == sorted(delays)
    assert delays[-1] == BACKOFF.longest
    list(follower.received(frame(2)))
    assert follower.lost(1.0) == delays[0]


def test_unknown_kinds_are_passed_over_and_bad_ones_named():
    assert list(Follower().received(frame_bytes(b"x", kind="new-kind", id="9"))) == []
    with pytest.raises(TriplewireError, match="wanted a notification"):
        list(Follower().received(frame_bytes(b"{}", kind="notification", id="9")))
    body = b'{"event":"urn:e","position":9,"solutions":[{"x":{"type":"uri","value":"no iri"}}]}'
    with pytest.raises(TriplewireError, match="wanted a notification"):
        list(Follower().received(frame_bytes(body, kind="notification", id="9")))


@pytest.mark.parametrize(("status", "again"), [(401, False), (404, False), (429, True), (503, True), (500, True)])
def test_which_answers_are_worth_asking_again(status, again):
    assert NodeRefused(status, "", "").is_retryable == again
