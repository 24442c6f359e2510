"""What is kept of peers, and where events stood in the logs of their origins."""

from __future__ import annotations

from pathlib import Path

import pytest

from triplewire.store import LocalDisk
from triplewire.store.schema import migrate
from triplewire.store.tables import log, peers
from triplewire.store.tables.log import Record


@pytest.fixture
def connection(tmp_path: Path):
    connection = LocalDisk().connect(tmp_path / "x.sqlite")
    migrate(connection)
    yield connection
    connection.close()


def test_records_are_kept_by_kind_peer_and_key(connection):
    peers.put(connection, "peer", "a", "", b"one")
    peers.put(connection, "peer", "a", "", b"two")
    peers.put(connection, "wish", "a", "w", b"wish")
    peers.put(connection, "file", "b", "f", b"file", b"content")
    assert peers.everything(connection, "peer") == [b"two"]
    assert peers.everything(connection, "wish") == [b"wish"]
    assert peers.everything(connection, "file") == [b"file"]
    assert peers.content(connection, "b", "f") == b"content"
    assert peers.content(connection, "a", "f") is None


def test_a_peer_is_forgotten_with_everything_and_the_others_are_not(connection):
    for peer in ("a", "b"):
        for kind in ("peer", "wish", "agreement", "file", "pointer"):
            peers.put(connection, kind, peer, "k", peer.encode())
    peers.remove(connection, "wish", "b", "k")
    peers.remove(connection, "wish", "b", "not there")
    peers.remove_all(connection, "a")
    assert peers.everything(connection, "wish") == []
    for kind in ("peer", "agreement", "file", "pointer"):
        assert peers.everything(connection, kind) == [b"b"]


def test_the_first_event_of_an_origin_after_a_position_there(connection):
    def record(position: int, origin: str | None, origin_position: int | None) -> Record:
        facts = (position, f"urn:{position}", "me", "2024-01-01T00:00:00+00:00", None, 1.0, b"x")
        return Record(*facts, origin, origin_position)

    places = [(None, None), ("sp-a", 4), ("sp-b", 9), ("sp-a", 6)]
    log.append(connection, [record(number, *place) for number, place in enumerate(places, start=1)])
    assert log.first_of(connection, "sp-a", 0) == 2
    assert log.first_of(connection, "sp-a", 4) == 4
    assert log.first_of(connection, "sp-a", 6) is None
    assert log.first_of(connection, "sp-b", 8) == 3
    assert log.first_of(connection, "sp-c", 0) is None
    assert [one.origin_position for one in log.after(connection, 0, 10)] == [None, 4, 9, 6]
    plan = connection.execute(
        "EXPLAIN QUERY PLAN SELECT min(position) FROM events WHERE origin = 'a' AND origin_position > 1"
    ).fetchall()
    assert "events_by_origin" in plan[0][3]
