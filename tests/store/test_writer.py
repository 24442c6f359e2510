"""One writer, many to a commit, and what happens when the disk does not play along."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from triplewire.errors import DiskFull, EventConflict, FolderInUse, StoreFailed, UnknownSchema
from triplewire.store import Database, LocalDisk, schema
from triplewire.store.tables import metadata
from triplewire.testing import Fate, FaultyDisk


@pytest.fixture
def disk() -> FaultyDisk:
    return FaultyDisk()


@pytest.fixture
def database(tmp_path: Path, disk: FaultyDisk):
    opened = Database(tmp_path, disk)
    yield opened
    opened.close()


def kept(database: Database, name: str):
    return database.read(lambda tx: metadata.get(tx, name))


def put(name: str, value: int):
    return lambda tx: metadata.put(tx, name, value)


def test_many_requests_share_a_commit(database: Database, disk: FaultyDisk):
    gate = threading.Event()
    before = disk.commits
    blocker = database.writer.submit_alone(lambda _: gate.wait(10))
    works = [database.writer.submit(put(f"n{i}", i)) for i in range(50)]
    gate.set()
    for work in [blocker, *works]:
        work.result(120)
    assert disk.commits - before == 2
    assert kept(database, "n49") == 49


def test_work_that_raises_is_undone_and_the_others_stay(database: Database):
    gate = threading.Event()
    database.writer.submit_alone(lambda _: gate.wait(10))

    def fails(tx):
        metadata.put(tx, "half", 1)
        raise EventConflict("no")

    good, bad, also = (database.writer.submit(work) for work in (put("a", 1), fails, put("b", 2)))
    gate.set()
    good.result(120)
    also.result(120)
    with pytest.raises(EventConflict):
        bad.result(120)
    assert (kept(database, "a"), kept(database, "half"), kept(database, "b")) == (1, None, 2)


def test_what_follows_a_commit_is_done_before_later_work(database: Database):
    seen: list[str] = []
    first = database.writer.submit_alone(lambda _: "first", seen.append)
    second = database.writer.submit(lambda _: seen.append("second"))
    first.result(120)
    second.result(120)
    assert seen == ["first", "second"]


@pytest.mark.parametrize("fate", list(Fate))
def test_f2_after_a_failed_fsync_nothing_is_acknowledged_any_more(database: Database, disk: FaultyDisk, fate: Fate):
    database.writer.submit(put("before", 1)).result(120)
    stopped: list[Exception] = []
    database.writer.on_failure = stopped.append
    disk.fail_sync(fate)
    with pytest.raises(StoreFailed):
        database.writer.submit(put("during", 2)).result(120)
    # The disk would say yes now: that is the trap.
    commits = disk.commits
    with pytest.raises(StoreFailed):
        database.writer.submit(put("after", 3)).result(120)
    assert disk.commits == commits
    assert len(stopped) == 1
    assert kept(database, "before") == 1


@pytest.mark.parametrize("frames", [["COPY_FRAMES"], ["TOO_LONG_FRAMES"]])
def test_f2_a_failed_checkpoint_stops_writing_too(database: Database, frames, monkeypatch):
    from triplewire.store import checkpoints
    from triplewire.testing.faulty_disk import FaultyConnection, sqlite_error

    for name in frames:
        monkeypatch.setattr(checkpoints, name, 1)
    execute = FaultyConnection.execute

    def broken(self, sql, parameters=()):
        if "wal_checkpoint" in sql:
            raise sqlite_error("disk I/O error", 1034, "SQLITE_IOERR_FSYNC")
        return execute(self, sql, parameters)

    monkeypatch.setattr(FaultyConnection, "execute", broken)
    database.writer.submit(put("a", 1)).result(120)
    for _ in range(1_000):
        if database.writer.failure is not None:
            break
        time.sleep(0.01)
    with pytest.raises(StoreFailed):
        database.writer.submit(put("b", 2)).result(120)


def test_the_log_is_copied_beside_commits_and_begun_anew(database: Database, tmp_path: Path, monkeypatch):
    from triplewire.store import checkpoints

    monkeypatch.setattr(checkpoints, "COPY_FRAMES", 50)
    monkeypatch.setattr(checkpoints, "LONG_FRAMES", 200)
    wal, page = tmp_path / "triplewire.sqlite-wal", 4096

    def salt() -> bytes:
        """Bytes of the log's header that are new whenever it begins anew."""
        with wal.open("rb") as file:
            return file.read(32)[16:24]

    database.writer.submit(put("first", "x" * 3 * page)).result(120)
    begun = salt()
    # The copying may fall behind on a busy machine, but not for ever.
    for value in range(20_000):
        database.writer.submit(put("n", f"{value} " + "x" * 3 * page)).result(120)
        if salt() != begun:
            break
    assert salt() != begun
    assert kept(database, "first") == "x" * 3 * page
    assert kept(database, "n") == f"{value} " + "x" * 3 * page


def test_closing_waits_for_a_checkpoint_and_no_longer(tmp_path: Path, monkeypatch):
    from triplewire.store import checkpoints
    from triplewire.testing.faulty_disk import FaultyConnection

    monkeypatch.setattr(checkpoints, "COPY_FRAMES", 1)
    database = Database(tmp_path, FaultyDisk())
    begun, stopping = threading.Event(), threading.Event()
    execute, stop = FaultyConnection.execute, checkpoints.Checkpoints.stop

    def slow(self, sql, parameters=()):
        if "wal_checkpoint" in sql:
            begun.set()
            # The end is rung for while this is on.
            assert stopping.wait(120)
        return execute(self, sql, parameters)

    def stopped(self):
        join = self._thread.join
        self._thread.join = lambda: (stopping.set(), join(120))
        stop(self)

    monkeypatch.setattr(FaultyConnection, "execute", slow)
    monkeypatch.setattr(checkpoints.Checkpoints, "stop", stopped)
    database.writer.submit(put("a", 1)).result(120)
    assert begun.wait(10)
    thread = database._checkpoints._thread
    database.close()
    assert not thread.is_alive()


def test_a_full_disk_at_a_checkpoint_stops_nothing(database: Database, monkeypatch):
    from triplewire.store import checkpoints
    from triplewire.testing.faulty_disk import FaultyConnection, sqlite_error

    monkeypatch.setattr(checkpoints, "COPY_FRAMES", 1)
    tried = threading.Event()
    execute = FaultyConnection.execute

    def full(self, sql, parameters=()):
        if "wal_checkpoint" in sql:
            tried.set()
            raise sqlite_error("database or disk is full", 13, "SQLITE_FULL")
        return execute(self, sql, parameters)

    monkeypatch.setattr(FaultyConnection, "execute", full)
    database.writer.submit(put("a", 1)).result(120)
    assert tried.wait(10)
    database.writer.submit(put("b", 2)).result(120)
    assert kept(database, "b") == 2


def test_f3_a_full_disk_is_an_error_of_that_request_and_work_resumes(database: Database, disk: FaultyDisk):
    database.writer.submit(put("before", 1)).result(120)
    disk.fill()
    with pytest.raises(DiskFull):
        database.writer.submit(put("during", 2)).result(120)
    assert kept(database, "before") == 1
    disk.free()
    database.writer.submit(put("after", 3)).result(120)
    assert (kept(database, "during"), kept(database, "after")) == (None, 3)


class SmallDisk(LocalDisk):
    """A disk on which SQLite itself runs out of pages."""

    def __init__(self) -> None:
        self.connection = None

    def connect(self, path: Path):
        self.connection = super().connect(path)
        return self.connection


def test_f3_when_sqlite_itself_finds_no_room(tmp_path: Path):
    disk = SmallDisk()
    database = Database(tmp_path, disk)
    pages = disk.connection.execute("PRAGMA page_count").fetchone()[0]
    disk.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(DiskFull):
        database.writer.submit(lambda tx: metadata.put(tx, "large", b"x" * 100_000)).result(120)
    disk.connection.execute("PRAGMA max_page_count = 1000000")
    database.writer.submit(lambda tx: metadata.put(tx, "large", b"x" * 100_000)).result(120)
    assert len(kept(database, "large")) == 100_000
    database.close()


def test_a_second_process_cannot_have_the_folder(database: Database, tmp_path: Path):
    with pytest.raises(FolderInUse, match="in use"):
        Database(tmp_path)


def test_migrations_run_once_and_a_later_version_is_refused(tmp_path: Path):
    connection = LocalDisk().connect(tmp_path / "x.sqlite")
    schema.migrate(connection)
    more = (*schema.MIGRATIONS, ("CREATE TABLE more (a)",))
    schema.migrate(connection, more)
    schema.migrate(connection, more)
    assert schema.version_of(connection) == len(more)
    with pytest.raises(UnknownSchema, match=f"found version {len(more)}"):
        schema.migrate(connection)
    connection.close()


def test_close_finishes_what_was_submitted(tmp_path: Path):
    database = Database(tmp_path)
    works = [database.writer.submit(put(f"n{i}", i)) for i in range(20)]
    database.close()
    assert all(work.done() for work in works)
    again = Database(tmp_path)
    assert kept(again, "n19") == 19
    again.close()
