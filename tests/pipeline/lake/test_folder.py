"""F10, in small: whatever a writer was doing when it was killed, the next one finds all of a commit or nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from triplewire.pipeline.lake.folder import Lake, existing_lake, open_lake, require_room

from triplewire.errors import LakeError
from triplewire.pipeline.lake.table_writers import Part

PARTS = [Part("events", "a.parquet", 1), Part("notifications", "b.parquet", 2)]


class Killed(BaseException):
    pass


def staged(lake: Lake, commit: str) -> None:
    folder = lake.staging(commit)
    for part in PARTS:
        (folder / part.table).mkdir()
        (folder / part.table / part.name).write_text(commit)
    (folder / "events" / "of-a-failed-attempt.parquet").touch()


def drafted_and_published(lake: Lake, commit: str) -> None:
    with lake.drafting(commit):
        staged(lake, commit)
        lake.publish(commit, "run", PARTS)


def visible(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.glob("[a-z]*/*"))


def test_a_commit_is_visible_and_its_leftovers_are_gone(tmp_path):
    with open_lake(tmp_path / "lake") as lake:
        staged(lake, "one")
        lake.publish("one", "run", PARTS)
        assert lake.has("one")
        assert lake.runs() == {"run"}
    assert visible(tmp_path / "lake") == ["events/a.parquet", "notifications/b.parquet"]


def test_what_was_staged_and_not_decided_is_forgotten(tmp_path):
    with open_lake(tmp_path / "lake") as lake:
        staged(lake, "one")
    with open_lake(tmp_path / "lake") as lake:
        assert not lake.has("one")
        assert visible(lake.root) == []
        assert list((lake.root / ".staging").iterdir()) == []


@pytest.mark.parametrize("moves", [0, 1, 2])
def test_what_was_decided_is_carried_out_by_the_next_writer(tmp_path, monkeypatch, moves):
    rename, done = Path.rename, []

    def dying(path: Path, target: Path) -> Path:
        if path.suffix == ".parquet":
            if len(done) == moves:
                raise Killed
            done.append(path)
        return rename(path, target)

    with open_lake(tmp_path / "lake") as lake:
        staged(lake, "one")
        monkeypatch.setattr(Path, "rename", dying)
        if moves < 2:
            with pytest.raises(Killed):
                lake.publish("one", "run", PARTS)
        else:
            lake.publish("one", "run", PARTS)
        monkeypatch.undo()
    with open_lake(tmp_path / "lake") as lake:
        assert visible(lake.root) == ["events/a.parquet", "notifications/b.parquet"]


def test_a_commit_may_replace_files(tmp_path):
    with open_lake(tmp_path / "lake") as lake:
        staged(lake, "one")
        lake.publish("one", "run", PARTS)
        (lake.staging("two") / "events").mkdir()
        (lake.root / ".staging" / "two" / "events" / "c.parquet").touch()
        lake.publish("two", "compaction", [Part("events", "c.parquet", 1)], ["events/a.parquet"])
        assert visible(lake.root) == ["events/c.parquet", "notifications/b.parquet"]


def test_there_is_one_writer(tmp_path):
    with (
        open_lake(tmp_path / "lake"),
        pytest.raises(LakeError, match="another run that is writing"),
        open_lake(tmp_path / "lake"),
    ):
        pass


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(LakeError, match="found something else"), open_lake(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_another_run_s_data_is_refused(tmp_path):
    with open_lake(tmp_path / "lake") as lake:
        staged(lake, "one")
        lake.publish("one", "monday", PARTS)
        require_room(lake, "monday")
        with pytest.raises(LakeError, match="found data of monday"):
            require_room(lake, "tuesday")


def test_a_lake_of_another_format_is_refused(tmp_path):
    with open_lake(tmp_path / "lake"):
        pass
    (tmp_path / "lake" / "_triplewire" / "lake.json").write_text('{"format": 9}')
    with pytest.raises(LakeError, match="wanted a lake of format 1, found format 9"):
        existing_lake(tmp_path / "lake")


def test_a_name_that_leads_elsewhere_is_refused(tmp_path):
    with open_lake(tmp_path / "lake") as lake, pytest.raises(LakeError, match=r"found '\.\./x'"):
        lake.staging("../x")


def test_whatever_a_record_names_is_forced_to_disk_before_the_record_is_there(tmp_path, monkeypatch):
    forced, fsync = [], os.fsync

    def recorded(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        forced.append((str(path.relative_to(tmp_path / "lake")), lake.has("one")))
        fsync(descriptor)

    with open_lake(tmp_path / "lake") as lake:
        staged(lake, "one")
        monkeypatch.setattr(os, "fsync", recorded)
        lake.publish("one", "run", PARTS)
    before = [name for name, decided in forced if not decided]
    staging = ".staging/one"
    assert set(before[:2]) == {f"{staging}/events/a.parquet", f"{staging}/notifications/b.parquet"}
    *synced, record = before[2:]
    assert synced == [f"{staging}/events", f"{staging}/notifications", staging, ".staging"]
    assert Path(record).match("_triplewire/commits/.one.json.*.part")
    after = [name for name, decided in forced if decided]
    assert (after[0], sorted(after[1:])) == ("_triplewire/commits", [".", "events", "notifications"])


def test_what_a_commit_replaces_goes_after_the_new_is_in_place_for_good(tmp_path, monkeypatch):
    with open_lake(tmp_path / "lake") as lake:
        staged(lake, "one")
        lake.publish("one", "run", PARTS)
        (lake.staging("two") / "events").mkdir()
        (lake.root / ".staging" / "two" / "events" / "c.parquet").touch()
        fsync = os.fsync

        def failing(descriptor: int) -> None:
            if Path(f"/proc/self/fd/{descriptor}").readlink() == lake.root / "events":
                raise Killed
            fsync(descriptor)

        monkeypatch.setattr(os, "fsync", failing)
        with pytest.raises(Killed):
            lake.publish("two", "compaction", [Part("events", "c.parquet", 1)], ["events/a.parquet"])
        assert (lake.root / "events" / "a.parquet").exists()


def test_an_interrupt_while_a_decided_commit_is_carried_out_loses_nothing(tmp_path, monkeypatch):
    def interrupted(path: Path, target: Path) -> Path:
        if path.suffix == ".parquet":
            raise KeyboardInterrupt
        return rename(path, target)

    rename = Path.rename
    with open_lake(tmp_path / "lake") as lake:
        monkeypatch.setattr(Path, "rename", interrupted)
        with pytest.raises(KeyboardInterrupt):
            drafted_and_published(lake, "one")
        monkeypatch.undo()
    with open_lake(tmp_path / "lake") as lake:
        assert visible(lake.root) == ["events/a.parquet", "notifications/b.parquet"]
