"""F4: every record has a checksum, and nothing in the middle is passed over."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from triplewire.errors import DamagedStore, StoreError
from triplewire.store import Database, LocalDisk
from triplewire.store.database import FILE
from triplewire.store.retention import Retention, cut, due
from triplewire.store.tables import log
from triplewire.store.tables.log import Record
from triplewire.store.wal import check_wal, frames


def record(position: int) -> Record:
    return Record(position, f"urn:e:{position}", "me", "2024-01-01T00:00:00+00:00", None, float(position), b"x" * 50)


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    database = Database(tmp_path)
    for position in range(1, 21):
        database.writer.submit(lambda tx, p=position: log.append(tx, [record(p)])).result(120)
    database.close()
    return tmp_path


def spoil(folder: Path, statement: str) -> None:
    connection = sqlite3.connect(folder / FILE)
    connection.execute(statement)
    connection.commit()
    connection.close()


def read_all(folder: Path) -> int:
    database = Database(folder)
    try:
        return database.read(log.verify)
    finally:
        database.close()


def test_a_log_that_is_as_it_was_written(filled: Path):
    assert read_all(filled) == 20


@pytest.mark.parametrize(
    "change",
    [
        "nquads = CAST('y' AS BLOB)",
        "publisher = 'you'",
        "time = 'then'",
        "source = 'there'",
        "accepted = 0",
        "graph = 'u'",
        "origin = 'sp-other'",
    ],
)
def test_f4_a_record_that_changed_is_noticed(filled: Path, change: str):
    spoil(filled, f"UPDATE events SET {change} WHERE position = 7")
    with pytest.raises(DamagedStore, match="record 7") as found:
        read_all(filled)
    assert found.value.position == 7


def test_f4_a_record_that_is_missing_is_noticed(filled: Path):
    spoil(filled, "DELETE FROM events WHERE position = 7")
    with pytest.raises(DamagedStore, match="record 7"):
        read_all(filled)


def test_f4_what_retention_removed_is_not_missing(filled: Path):
    database = Database(filled)
    floor = database.read(lambda tx: due(tx, Retention(age=10), 20.5, 1000)).floor
    trimmed = database.writer.submit(lambda tx: cut(tx, floor)).result(120)
    assert trimmed.floor == 10
    assert database.read(log.verify) == 10
    assert database.read(log.head) == 20
    database.close()


def test_f4_flipped_bits_in_the_file_never_pass_for_data(filled: Path):
    path = filled / FILE
    whole = path.read_bytes()
    silent = []
    for offset in range(0, len(whole), 997):
        path.write_bytes(whole[:offset] + bytes([whole[offset] ^ 0x10]) + whole[offset + 1 :])
        try:
            database = Database(filled)
        except StoreError:
            continue
        try:
            found = database.read(lambda tx: log.after(tx, 0, 100))
            if found != [record(position) for position in range(1, 21)]:
                silent.append(offset)
        except StoreError:
            pass
        finally:
            database.close()
    assert silent == []


@pytest.fixture
def wal(tmp_path: Path) -> Path:
    """A write-ahead log of twenty transactions, as a killed process leaves it."""
    source = tmp_path / "source"
    database = Database(source)
    for position in range(1, 21):
        database.writer.submit(lambda tx, p=position: log.append(tx, [record(p)])).result(120)
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in (FILE, f"{FILE}-wal"):
        (copy / name).write_bytes((source / name).read_bytes())
    database.close()
    return copy / f"{FILE}-wal"


def test_f4_a_whole_write_ahead_log(wal: Path):
    check_wal(wal)
    assert sum(frame.commits for frame in frames(wal)) >= 20
    assert read_all(wal.parent) == 20


def test_f4_a_bit_flipped_in_the_middle_of_the_write_ahead_log_is_noticed(wal: Path):
    data = bytearray(wal.read_bytes())
    data[len(data) // 2] ^= 1
    wal.write_bytes(data)
    with pytest.raises(DamagedStore, match="damaged and"):
        Database(wal.parent)


def test_f4_a_torn_end_is_what_was_never_acknowledged(wal: Path):
    data = wal.read_bytes()
    wal.write_bytes(data[:-100])
    assert read_all(wal.parent) == 19


def test_f4_without_the_check_sqlite_would_say_nothing(wal: Path):
    """Why `check_wal` is there: SQLite drops everything behind a bad frame without a word."""
    data = bytearray(wal.read_bytes())
    data[len(data) // 2] ^= 1
    wal.write_bytes(data)
    connection = LocalDisk().connect(wal.parent / FILE)
    assert connection.execute("SELECT count(*) FROM events").fetchone()[0] < 20
    connection.close()
