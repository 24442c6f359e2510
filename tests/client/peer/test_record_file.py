"""Records in a file: what was written is there again, and what is not what was written is noticed."""

from __future__ import annotations

import random
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.client.peer.record_file import Record, RecordFile
from triplewire.errors import DamagedStore, DiskFull, InputError, StoreFailed
from triplewire.testing import FaultyDisk
from triplewire.testing.faulty_disk import Fate

ONE, TWO = Record("triple", "one"), Record("fact", "two", b"body")


def written(path: Path, *records: Record) -> Path:
    with closing(RecordFile(path)) as file:
        file.write(records)
    return path


def read(path: Path) -> list[Record]:
    with closing(RecordFile(path)) as file:
        return list(file.records())


def test_what_was_written_is_there_again_by_kind_and_key(tmp_path):
    path = written(tmp_path / "file", ONE, TWO, Record("triple", "another"))
    assert read(path) == [TWO, Record("triple", "another"), ONE]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_record_is_replaced_and_removed(tmp_path):
    path = written(tmp_path / "file", ONE, TWO)
    with closing(RecordFile(path)) as file:
        file.write([Record("fact", "new")], [Record("fact", "two", b"other"), Record("triple", "one", None)])
    assert read(path) == [Record("fact", "new"), Record("fact", "two", b"other")]


def test_many_records_are_read_page_by_page(tmp_path):
    records = [Record("triple", f"{number:06}") for number in range(25_000)]
    assert read(written(tmp_path / "file", *records)) == records


@given(st.integers(0, 2**32))
def test_a_history_of_writes_leaves_what_the_last_ones_said(tmp_path_factory, seed):
    rng, path, model = random.Random(seed), tmp_path_factory.mktemp("history") / "file", {}
    for _ in range(5):
        with closing(RecordFile(path)) as file:
            for _ in range(rng.randrange(4)):
                kind, key = rng.choice("ab"), rng.choice("xyz")
                body = rng.choice([None, b"", rng.randbytes(3)])
                file.write(changed=[Record(kind, key, body)])
                model.pop((kind, key), None)
                if body is not None:
                    model[kind, key] = body
    assert {(one.kind, one.key): one.body for one in read(path)} == model


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE records SET body = x'00' WHERE key = 'two'",
        "UPDATE records SET key = 'eno' WHERE key = 'one'",
        "UPDATE records SET kind = 'fact' WHERE key = 'one'",
        "DELETE FROM records WHERE key = 'one'",
        "INSERT INTO records VALUES ('triple', 'three', '')",
        "UPDATE digests SET digest = zeroblob(16)",
    ],
)
def test_a_record_that_is_not_what_was_written_is_noticed(tmp_path, damage):
    path = written(tmp_path / "file", ONE, TWO)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(damage)
    with pytest.raises(DamagedStore, match="changed, lost or added"):
        read(path)


@pytest.mark.parametrize("damage", ["DELETE FROM digests", "UPDATE digests SET digest = 7"])
def test_a_digest_that_is_not_there_is_noticed(tmp_path, damage):
    path = written(tmp_path / "file", ONE)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(damage)
    with pytest.raises(DamagedStore, match="digest"):
        read(path)


def test_a_file_that_is_none_is_left_alone(tmp_path):
    text, other = tmp_path / "text", tmp_path / "other"
    text.write_text("not a database, but long enough to be taken for one" * 10)
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE records (mine)")
    before = {path: path.read_bytes() for path in (text, other)}
    with pytest.raises(DamagedStore):
        RecordFile(text)
    with pytest.raises(InputError, match="a database of something else"):
        RecordFile(other)
    assert {path: path.read_bytes() for path in before} == before


def test_a_file_that_was_about_to_be_made_is_made(tmp_path):
    """The process ended between the file and its tables."""
    path = tmp_path / "file"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    assert read(path) == []


@pytest.mark.parametrize("fill", ["fill", "fill_log"])
def test_a_full_disk_leaves_all_as_it_was(tmp_path, fill):
    disk = FaultyDisk()
    with closing(RecordFile(tmp_path / "file", disk)) as file:
        file.write([ONE])
        getattr(disk, fill)()
        with pytest.raises(DiskFull):
            file.write([TWO], [Record("triple", "one", None)])
        disk.free()
        assert list(file.records()) == [ONE]
        file.write([TWO])
    assert read(tmp_path / "file") == [TWO, ONE]


def test_a_sync_that_fails_is_told(tmp_path):
    disk = FaultyDisk()
    file = RecordFile(tmp_path / "file", disk)
    disk.fail_sync(Fate.LOST)
    with pytest.raises(StoreFailed):
        file.write([ONE])


def test_a_long_log_is_shortened(tmp_path):
    path = tmp_path / "file"
    with closing(RecordFile(path)) as file:
        for number in range(12):
            file.write([Record("told", str(number), bytes(500_000))])
        assert path.with_name("file-wal").stat().st_size < 6 << 20
