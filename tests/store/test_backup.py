"""A copy of a data folder: as of one commit, checked, whole or not there; and the way back."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from triplewire.errors import DamagedStore, InputError, UnknownSchema
from triplewire.store import Database
from triplewire.store.backup import MANIFEST, SPACE, Manifest, Report, back_up, restore
from triplewire.store.database import FILE
from triplewire.store.tables import living_graph, log
from triplewire.store.tables.living_graph import QuadLines
from triplewire.store.tables.log import Record

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def silent(doing: str, done: int, total: int) -> None:
    """Nobody wants to know."""


def write(database: Database, position: int) -> None:
    """An event, and a change of the living graph, in one transaction."""
    record = Record(position, f"urn:event:{position}", "ann", "2026-01-01", None, 1.0, b"x" * 5_000)
    quads = QuadLines(added=(f"<urn:s> <urn:p> <urn:o{position}>",))

    def both(tx):
        log.append(tx, [record])
        living_graph.record(tx, 1.0, quads, quads)

    database.writer.submit(both).result()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with three events and three changes."""
    folder = tmp_path / "data"
    with closing(Database(folder)) as database:
        for position in (1, 2, 3):
            write(database, position)
    return folder


def heads(folder: Path) -> tuple[int, int]:
    with closing(Database(folder)) as database:
        return database.read(lambda tx: (log.verify(tx), living_graph.head(tx)))


def made(data: Path, report: Report = silent) -> Path:
    target = data.with_name("backup")
    back_up(data, target, NOW, report)
    return target


def test_what_is_backed_up_comes_back(data: Path, tmp_path: Path):
    backup = made(data)
    manifest = restore(backup, tmp_path / "restored", silent)
    assert (manifest.position, manifest.change, manifest.made) == (3, 3, NOW)
    assert heads(tmp_path / "restored") == (3, 3)
    assert {file.name for file in backup.iterdir()} == {FILE, MANIFEST}


def test_only_the_owner_may_read_a_backup(data: Path, tmp_path: Path):
    backup = made(data)
    restore(backup, tmp_path / "restored", silent)
    for folder in (backup, tmp_path / "restored"):
        assert folder.stat().st_mode & 0o077 == 0
        assert all(file.stat().st_mode & 0o077 == 0 for file in folder.iterdir())


def test_a_node_that_goes_on_writing_neither_waits_nor_tears_the_copy(data: Path, tmp_path: Path):
    """Each word about the copy's progress is answered by another commit."""
    with closing(Database(data)) as database:
        for position in range(4, 900):
            write(database, position)
        position = 900

        def write_more(doing: str, done: int, total: int) -> None:
            nonlocal position
            write(database, position)
            position += 1

        backup = made(data, write_more)
    restored = restore(backup, tmp_path / "restored", silent)
    assert (restored.position, restored.change) == (899, 899)
    assert heads(tmp_path / "restored") == (899, 899)
    assert position > 905
    assert heads(data) == (position - 1, position - 1)


def killed_at(step: int, work: Callable[[Report], Manifest]) -> bool:
    """Do some work in another process that is killed at a step; whether it came that far."""
    child = os.fork()
    if child == 0:
        steps = 0

        def report(doing: str, done: int, total: int) -> None:
            nonlocal steps
            if steps == step:
                os.kill(os.getpid(), signal.SIGKILL)
            steps += 1

        work(report)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def test_who_is_killed_while_backing_up_leaves_no_backup_and_the_data_as_they_were(data: Path, tmp_path: Path):
    """Row F1."""
    step = 0
    while killed_at(step, lambda report: back_up(data, tmp_path / "backup", NOW, report)):
        assert not (tmp_path / "backup").exists()
        step += 1
    assert step >= 5
    assert heads(data) == (3, 3)
    restore(tmp_path / "backup", tmp_path / "restored", silent)


def test_who_is_killed_while_restoring_leaves_no_folder(data: Path, tmp_path: Path):
    """Row F1."""
    backup, step = made(data), 0
    while killed_at(step, lambda report: restore(backup, tmp_path / "restored", report)):
        assert not (tmp_path / "restored").exists()
        step += 1
    assert step >= 4
    assert heads(tmp_path / "restored") == (3, 3)


def test_a_folder_with_something_in_it_is_left_alone(data: Path, tmp_path: Path):
    backup, before = made(data), sorted(data.iterdir())
    with pytest.raises(InputError, match="a folder that is empty, or not there"):
        restore(backup, data, silent)
    assert sorted(data.iterdir()) == before
    (tmp_path / "empty").mkdir()
    restore(backup, tmp_path / "empty", silent)
    assert heads(tmp_path / "empty") == (3, 3)


def test_a_backup_does_not_take_the_place_of_another(data: Path):
    made(data)
    with pytest.raises(InputError, match="a name for the backup that is not taken"):
        made(data)


def damage(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-4096])


@pytest.mark.parametrize("spoil", [damage, cut])
def test_a_backup_that_is_not_what_was_written_is_refused(data: Path, tmp_path: Path, spoil: Callable[[Path], None]):
    """Row F4."""
    backup = made(data)
    spoil(backup / FILE)
    with pytest.raises(DamagedStore, match="it was changed, cut or damaged"):
        restore(backup, tmp_path / "restored", silent)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "data"]


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b"[1]"])
def test_a_manifest_that_is_none_is_refused(data: Path, tmp_path: Path, content: bytes):
    backup = made(data)
    (backup / MANIFEST).write_bytes(content)
    with pytest.raises(InputError, match=MANIFEST):
        restore(backup, tmp_path / "restored", silent)


def test_a_backup_of_another_format_is_refused(data: Path, tmp_path: Path):
    backup = made(data)
    manifest = json.loads((backup / MANIFEST).read_text())
    (backup / MANIFEST).write_text(json.dumps(manifest | {"format": 2}))
    with pytest.raises(InputError, match=r"a backup of format 1.*found format 2"):
        restore(backup, tmp_path / "restored", silent)


def change(data: Path, statement: str) -> None:
    with closing(sqlite3.connect(data / FILE)) as connection:
        connection.execute(statement)
        connection.commit()


def test_damaged_data_are_found_when_they_are_backed_up(data: Path, tmp_path: Path):
    """Row F4."""
    change(data, "UPDATE events SET nquads = x'00' WHERE position = 2")
    with pytest.raises(DamagedStore, match="the record 2 of the log"):
        made(data)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_data_of_a_later_version_are_refused(data: Path):
    change(data, "PRAGMA user_version = 999")
    with pytest.raises(UnknownSchema):
        made(data)


def test_what_is_no_data_folder_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="the data folder of a node"):
        back_up(tmp_path, tmp_path / "backup", NOW, silent)
    with pytest.raises(InputError, match="a backup, with"):
        restore(tmp_path, tmp_path / "restored", silent)


def test_a_node_of_an_event_space_is_refused(data: Path):
    (data / SPACE).mkdir()
    with pytest.raises(InputError, match="a node of an event space"):
        made(data)
