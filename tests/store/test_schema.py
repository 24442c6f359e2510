"""Folders of earlier versions are brought up to date, with what is in them."""

from __future__ import annotations

from pathlib import Path

from triplewire.store import Database, LocalDisk, deadletters
from triplewire.store.database import FILE
from triplewire.store.schema import MIGRATIONS, migrate, version_of


def test_a_dead_letter_of_the_first_version_is_there_after_the_second(tmp_path: Path):
    connection = LocalDisk().connect(tmp_path / FILE)
    migrate(connection, MIGRATIONS[:1])
    connection.execute(
        "INSERT INTO dead_letters (subscription, position, event, answer, reason, attempts, buried) "
        "VALUES (1, 2, 'urn:e', CAST('{}' AS BLOB), 'gone', 3, 4.0)"
    )
    connection.close()
    database = Database(tmp_path)
    [letter] = database.read(lambda tx: deadletters.after(tx, 0, 10))
    assert (letter.position, letter.reason, letter.nquads) == (2, "gone", None)
    assert database.read(version_of) == len(MIGRATIONS)
    database.close()
