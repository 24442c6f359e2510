"""Folders of earlier versions are brought up to date, with what is in them."""

from __future__ import annotations

from pathlib import Path

from triplewire.store import Database, LocalDisk
from triplewire.store.database import FILE
from triplewire.store.schema import MIGRATIONS, migrate, version_of
from triplewire.store.tables import dead_letters, log, outbox
from triplewire.store.tables.log import Record
from triplewire.store.tables.outbox import OutboxEntry


def test_a_dead_letter_of_the_first_version_is_there_after_the_second(tmp_path: Path):
    connection = LocalDisk().connect(tmp_path / FILE)
    migrate(connection, MIGRATIONS[:1])
    connection.execute(
        "INSERT INTO dead_letters (subscription, position, event, answer, reason, attempts, buried) "
        "VALUES (1, 2, 'urn:e', CAST('{}' AS BLOB), 'gone', 3, 4.0)"
    )
    connection.close()
    database = Database(tmp_path)
    [letter] = database.read(lambda tx: dead_letters.after(tx, 0, 10))
    assert (letter.position, letter.reason, letter.nquads) == (2, "gone", None)
    assert database.read(version_of) == len(MIGRATIONS)
    database.close()


def plan(connection, sql: str) -> str:
    return " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall())


def test_what_waits_survives_the_outbox_by_position(tmp_path: Path):
    connection = LocalDisk().connect(tmp_path / "x.sqlite")
    migrate(connection, MIGRATIONS[:2])
    entries = [OutboxEntry(number, position, "urn:e", b"%d" % position) for number in (2, 1) for position in (3, 1, 2)]
    outbox.put(connection, entries)
    migrate(connection)
    rows = connection.execute("SELECT subscription, position, answer FROM outbox").fetchall()
    assert sorted(rows) == sorted((n.subscription, n.position, n.answer) for n in entries)
    outbox.put(connection, entries)
    assert outbox.lasts(connection) == {1: 3, 2: 3}
    assert outbox.remove_to(connection, 1, 2) == 2 * (outbox.ROW_BYTES + 1)
    connection.close()


def test_neither_a_reader_nor_retention_has_to_look_at_everything(tmp_path: Path):
    connection = LocalDisk().connect(tmp_path / "x.sqlite")
    migrate(connection)
    reading = plan(connection, "SELECT answer FROM outbox WHERE subscription = 1 AND position > 2 ORDER BY position")
    assert "outbox_by_subscription" in reading
    assert "TEMP B-TREE" not in reading
    assert "SEARCH outbox USING PRIMARY KEY" in plan(connection, "DELETE FROM outbox WHERE position <= 5")
    connection.close()


def test_a_record_of_before_there_were_origins_is_what_it_was(tmp_path: Path):
    record = Record(1, "urn:e:1", "me", "2024-01-01T00:00:00+00:00", None, 1.0, b"x")
    connection = LocalDisk().connect(tmp_path / FILE)
    migrate(connection, MIGRATIONS[:5])
    connection.execute(
        "INSERT INTO events (position, graph, publisher, time, source, accepted, nquads, checksum) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (1, record.graph, "me", record.time, None, 1.0, b"x", record.checksum),
    )
    connection.close()
    database = Database(tmp_path)
    assert database.read(lambda tx: log.at(tx, 1)) == record
    database.close()
