"""The space's storage when the disk does not play along, and when the folder is not what it should be."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from triplewire.errors import DamagedStore, DiskFull, FolderInUse, StoreFailed, UnknownSchema
from triplewire.network.can.geometry.space import SPACE, Box, Point, exactly
from triplewire.network.eventspace.storage import SpaceStorage
from triplewire.store import checkpoints
from triplewire.store.space import SpaceDatabase, index_updates
from triplewire.testing import Fate, FaultyDisk
from triplewire.testing.faulty_disk import FaultyConnection, sqlite_error


@pytest.fixture
def disk() -> FaultyDisk:
    return FaultyDisk()


@pytest.fixture
def storage(tmp_path: Path, disk: FaultyDisk) -> Iterator[SpaceDatabase]:
    opened = SpaceDatabase(tmp_path, disk)
    yield opened
    opened.close()


def point(number: int, subject: bytes = b"<urn:s>") -> Point:
    return b"<urn:event:%d>" % number, subject, b"<urn:p>", b'"%d"' % number


def left_in(folder: Path) -> list[Point]:
    """What is found after a restart."""
    storage = SpaceDatabase(folder)
    found = storage.quads(SPACE)
    storage.close()
    return found


def test_it_is_a_storage_of_the_network(storage: SpaceDatabase):
    held: SpaceStorage = storage
    assert held.quads(SPACE) == []


def test_f3_a_full_disk_loses_nothing_and_a_later_commit_makes_sure_of_it(disk: FaultyDisk, tmp_path: Path):
    storage = SpaceDatabase(tmp_path, disk)
    storage.add_quads([point(1)])
    storage.add_event("urn:event:1", b"header", {"log": 7})
    storage.put("outbox", b"k", b"v")
    disk.fill_log()
    for attempt in range(3):
        with pytest.raises(DiskFull):
            storage.commit()
        assert storage.get("outbox", b"k") == b"v"
        assert list(storage.events_following("log", 7)) == [b"header"]
        assert storage.add_quads([point(1), point(2 + attempt)]) == [point(2 + attempt)]
        assert storage.count(SPACE) == 2 + attempt
        assert len(storage.quads(Box(subject=exactly(b"<urn:s>")))) == 2 + attempt
    disk.free()
    storage.commit()
    storage.close()
    assert left_in(tmp_path) == [point(number) for number in range(1, 5)]


def test_f3_a_full_disk_and_a_crash_leave_what_was_committed(disk: FaultyDisk, tmp_path: Path):
    storage = SpaceDatabase(tmp_path, disk)
    storage.add_quads([point(1)])
    storage.commit()
    storage.add_quads([point(2)])
    disk.fill_log()
    with pytest.raises(DiskFull):
        storage.commit()
    storage.close()
    assert left_in(tmp_path) == [point(1)]


def test_f3_a_change_that_finds_no_space_itself_is_not_half_done(storage: SpaceDatabase, disk: FaultyDisk):
    storage.add_quads([point(1)])
    disk.fill()
    with pytest.raises(DiskFull):
        storage.add_quads([point(number) for number in range(500)])
    # Earlier changes cannot be made anew either: whoever reads is told, and does not get less than there is.
    with pytest.raises(DiskFull):
        storage.quads(SPACE)
    disk.free()
    assert storage.quads(SPACE) == [point(1)]
    storage.commit()
    assert storage.quads(SPACE) == [point(1)]


def test_f3_sqlite_itself_finds_no_space(storage: SpaceDatabase):
    """Not by the double: a limit on pages is the one full disk that SQLite can be given anywhere."""
    storage.add_quads([point(1)])
    storage.commit()
    pages = storage._connection.execute("PRAGMA page_count").fetchone()[0]
    storage._connection.execute(f"PRAGMA max_page_count = {pages + 5}")
    storage.add_quads([point(2)])
    with pytest.raises(DiskFull):
        storage.add_quads([point(number) for number in range(5_000)])
    assert storage.quads(SPACE) == [point(1), point(2)]
    storage._connection.execute("PRAGMA max_page_count = 1000000")
    assert len(storage.add_quads([point(number) for number in range(5_000)])) == 4_998
    storage.commit()
    assert storage.count(SPACE) == 5_000


@pytest.mark.parametrize("fate", list(Fate))
def test_f2_after_a_failed_fsync_nothing_is_done_any_more(storage: SpaceDatabase, disk: FaultyDisk, fate: Fate):
    storage.add_quads([point(1)])
    disk.fail_sync(fate)
    with pytest.raises(StoreFailed):
        storage.commit()
    # The disk would say yes now: that is the trap.
    commits = disk.commits
    for work in (storage.commit, lambda: storage.put("t", b"", b""), lambda: storage.quads(SPACE)):
        with pytest.raises(StoreFailed):
            work()
    assert disk.commits == commits


def test_f2_a_failed_checkpoint_ends_all_work_too(storage: SpaceDatabase, monkeypatch):
    monkeypatch.setattr(checkpoints, "TOO_LONG_FRAMES", 1)
    execute = FaultyConnection.execute

    def broken(self, sql, parameters=()):
        if "wal_checkpoint" in sql:
            raise sqlite_error("disk I/O error", 1034, "SQLITE_IOERR_FSYNC")
        return execute(self, sql, parameters)

    monkeypatch.setattr(FaultyConnection, "execute", broken)
    storage.add_quads([point(1)])
    storage.commit()
    with pytest.raises(StoreFailed):
        storage.commit()


def test_a_commit_without_changes_does_not_wait_for_the_disk(storage: SpaceDatabase, disk: FaultyDisk):
    storage.add_quads([point(1)])
    storage.commit()
    commits = disk.commits
    storage.quads(SPACE)
    storage.commit()
    assert disk.commits == commits


def test_a_folder_that_is_open_is_refused(storage: SpaceDatabase, tmp_path: Path):
    with pytest.raises(FolderInUse, match="in use"):
        SpaceDatabase(tmp_path)


def test_a_file_that_is_no_database_is_refused_and_the_folder_let_go(tmp_path: Path):
    path = tmp_path / "space.sqlite"
    path.write_bytes(b"no database, but long enough to be looked at " * 100)
    for _ in range(2):
        with pytest.raises(DamagedStore):
            SpaceDatabase(tmp_path)
    path.unlink()
    SpaceDatabase(tmp_path).close()


def test_f4_a_damaged_page_is_told_when_it_is_read(tmp_path: Path):
    storage = SpaceDatabase(tmp_path)
    storage.add_quads([point(number) for number in range(2_000)])
    storage.commit()
    storage.close()
    path = tmp_path / "space.sqlite"
    content = bytearray(path.read_bytes())
    for start in range(0, len(content), 4096):
        if b"<urn:p>" in content[start : start + 4096]:
            content[start : start + 64] = b"\xff" * 64
    path.write_bytes(content)
    storage = SpaceDatabase(tmp_path)
    with pytest.raises(DamagedStore):
        storage.quads(SPACE)
    with pytest.raises(StoreFailed):
        storage.commit()
    storage.close()


def test_a_folder_of_a_later_version_is_refused(tmp_path: Path):
    SpaceDatabase(tmp_path).close()
    connection = sqlite3.connect(tmp_path / "space.sqlite")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(UnknownSchema, match="99"):
        SpaceDatabase(tmp_path)


@pytest.mark.parametrize(
    ("box", "way"),
    [
        (Box(graph=exactly(b"g")), "q USING PRIMARY KEY (g=?"),
        (Box(subject=exactly(b"s")), "i USING PRIMARY KEY (s=? AND g>?)"),
        (Box(predicate=exactly(b"p")), "i USING PRIMARY KEY (p=? AND g>?)"),
        (Box(object=exactly(b"o")), "i USING PRIMARY KEY (o=? AND g>?)"),
        (SPACE, "q USING PRIMARY KEY ((g,s,p,o)>(?,?,?,?))"),
    ],
)
def test_a_page_is_read_from_where_the_last_one_ended_without_sorting(storage: SpaceDatabase, box: Box, way: str):
    from triplewire.store.space.regions import region_of

    found = storage._quads._query(region_of(box), (b"g", b"r", b"", b""), 10)
    assert found is not None
    sql, parameters = found.points(10)
    plan = [row[3] for row in storage._connection.execute(f"EXPLAIN QUERY PLAN {sql}", parameters).fetchall()]
    assert way in plan[0]
    # Within one graph it may sort.
    assert "USE TEMP B-TREE FOR ORDER BY" not in plan


def test_indices_follow_a_little_with_every_commit(storage: SpaceDatabase, tmp_path: Path):
    def counted(table: str) -> int:
        with closing(sqlite3.connect(tmp_path / "space.sqlite")) as connection:
            return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]

    entries = 0
    for start in range(0, 2 * index_updates._LOT, 100):
        storage.add_quads([point(number, b"<urn:s:%d>" % number) for number in range(start, start + 100)])
        storage.commit()
        now = sum(map(counted, ("by_s", "by_p", "by_o")))
        assert now - entries <= index_updates._STEP
        entries = now
    assert entries >= 3 * index_updates._LOT
    assert counted("unindexed") == index_updates._LOT
    assert storage.quads(Box(subject=exactly(b"<urn:s:7>"))) == [point(7, b"<urn:s:7>")]
    assert storage.quads(Box(subject=exactly(b"<urn:s:19999>"))) == [point(19_999, b"<urn:s:19999>")]


def test_f1_a_crash_in_the_middle_of_an_index_update_costs_nothing(tmp_path: Path):
    storage = SpaceDatabase(tmp_path)
    for start in range(0, index_updates._LOT + 500, 500):
        storage.add_quads([point(number, b"<urn:s:%d>" % number) for number in range(start, start + 500)])
        storage.commit()
    storage.close()
    storage = SpaceDatabase(tmp_path)
    found = [
        one for number in range(0, 10_500, 700) for one in storage.quads(Box(subject=exactly(b"<urn:s:%d>" % number)))
    ]
    assert found == [point(number, b"<urn:s:%d>" % number) for number in range(0, 10_500, 700)]
    storage.close()
