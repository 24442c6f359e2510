"""Files that survive a crash."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from triplewire.system import durable_files
from triplewire.system.durable_files import (
    create_file,
    remove_drafts,
    replace_file,
    replace_files,
    replace_folder,
    replacing_file,
    sync_files,
    synced_file,
)

OLD, NEW = b"old" * 1_000, b"new" * 2_000


def named(descriptor: int) -> Path:
    return Path(f"/proc/self/fd/{descriptor}").readlink()


class Steps:
    """What is asked of the disk, in order; something else may happen at a step."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at_step: Callable[[int], None] = lambda step: None) -> None:
        self.taken: list[tuple[str, str]] = []
        self._at_step = at_step
        fsync, replace, rename = os.fsync, Path.replace, Path.rename
        monkeypatch.setattr(os, "fsync", lambda fd: self._step("sync", named(fd)) or fsync(fd))
        monkeypatch.setattr(Path, "replace", lambda path, to: self._step("rename", to) or replace(path, to))
        monkeypatch.setattr(Path, "rename", lambda path, to: self._step("rename", to) or rename(path, to))

    def _step(self, kind: str, path: Path) -> None:
        self.taken.append((kind, path.name))
        self._at_step(len(self.taken))


def killed_at(step: int, work: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Do it in a process that is killed before a step; whether it came that far."""
    child = os.fork()
    if child == 0:
        Steps(monkeypatch, lambda found: os._exit(9) if found == step else None)
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def test_f1_a_kill_at_any_step_leaves_the_file_old_or_new(tmp_path, monkeypatch):
    file = tmp_path / "file"
    found = []
    for step in range(1, 10):
        replace_file(file, OLD)
        if not killed_at(step, lambda: replace_file(file, NEW), monkeypatch):
            break
        found.append(file.read_bytes())
    assert found == [OLD, OLD, NEW]
    assert file.read_bytes() == NEW
    assert len(list(tmp_path.iterdir())) == 3
    remove_drafts(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_data_is_on_the_disk_before_the_name_and_the_name_before_anything_else(tmp_path, monkeypatch):
    steps = Steps(monkeypatch)
    replace_file(tmp_path / "file", NEW)
    [(first, draft), *others] = steps.taken
    assert (first, others) == ("sync", [("rename", "file"), ("sync", tmp_path.name)])
    assert draft.startswith(".file.")


@contextmanager
def full_disk(step: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def fail(found: int) -> None:
        if found == step:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        Steps(patch, fail)
        yield


@pytest.mark.parametrize("step", [1, 2])
def test_f3_a_disk_that_is_full_leaves_the_file_as_it_was_and_no_draft(tmp_path, monkeypatch, step):
    file = tmp_path / "file"
    replace_file(file, OLD)
    with full_disk(step, monkeypatch), pytest.raises(OSError, match="No space left"):
        replace_file(file, NEW)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", OLD)]


def test_a_writer_that_fails_leaves_the_file_as_it_was(tmp_path):
    file = tmp_path / "file"
    replace_file(file, OLD)
    with pytest.raises(TypeError), replacing_file(file) as stream:
        stream.writelines([NEW, "not bytes"])
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", OLD)]


def test_many_files_are_on_the_disk_before_their_names_are_made_sure_of(tmp_path, monkeypatch):
    steps = Steps(monkeypatch)
    files = [(f"{number}", b"%d" % number) for number in range(40)]
    replace_files(tmp_path, files)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == dict(files)
    assert steps.taken[-1] == ("sync", tmp_path.name)
    for name, _ in files:
        synced = next(at for at, (kind, path) in enumerate(steps.taken) if kind == "sync" and f".{name}." in path)
        assert synced < steps.taken.index(("rename", name))


def test_no_files_are_no_work(tmp_path):
    replace_files(tmp_path, [])
    assert list(tmp_path.iterdir()) == []


def test_modes_are_those_asked_for_from_the_first_byte_on(tmp_path, monkeypatch):
    file = tmp_path / "secret"
    seen = []
    created = os.open

    def opened(path: Path, flags: int, mode: int = 0o777) -> int:
        descriptor = created(path, flags, mode)
        seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return descriptor

    monkeypatch.setattr(durable_files.os, "open", opened)
    replace_file(file, b"s", 0o600)
    assert seen[0] == stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_must_be_new_never_replaces_one(tmp_path, monkeypatch):
    file = tmp_path / "key"
    create_file(file, OLD, 0o600)
    with pytest.raises(FileExistsError):
        create_file(file, NEW)
    assert file.read_bytes() == OLD
    with full_disk(1, monkeypatch), pytest.raises(OSError, match="No space left"):
        create_file(tmp_path / "other", NEW)
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def draft_of(home: Path, content: bytes) -> Path:
    draft = home / ".draft"
    draft.mkdir()
    with synced_file(draft / "array") as stream:
        stream.write(content)
    return draft


def test_a_folder_is_replaced_as_a_whole(tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    replace_folder(draft_of(tmp_path, OLD), folder)
    steps = Steps(monkeypatch)
    with (folder / "array").open("rb") as still_open:
        replace_folder(draft_of(tmp_path, NEW), folder)
        assert still_open.read() == OLD
    assert (folder / "array").read_bytes() == NEW
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    assert steps.taken == [
        ("sync", "array"),
        ("rename", ".draft-old"),
        ("rename", "folder"),
        ("sync", tmp_path.name),
    ]


def test_f1_a_kill_while_a_folder_is_replaced_loses_neither(tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    for step, whole in enumerate((folder, tmp_path / ".draft-old", folder), 1):
        home = tmp_path / str(step)
        home.mkdir()
        replace_folder(draft_of(home, OLD), home / "folder")
        draft = draft_of(home, NEW)
        assert killed_at(step, lambda draft=draft, home=home: replace_folder(draft, home / "folder"), monkeypatch)
        found = (home / whole.name / "array").read_bytes()
        assert found == (NEW if step == 3 else OLD)


def test_a_folder_that_cannot_be_put_in_place_leaves_the_old_one_there(tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    replace_folder(draft_of(tmp_path, OLD), folder)
    draft = draft_of(tmp_path, NEW)
    with full_disk(2, monkeypatch), pytest.raises(OSError, match="No space left"):
        replace_folder(draft, folder)
    assert (folder / "array").read_bytes() == OLD


def test_files_of_others_are_synced_and_every_folder_on_the_way(tmp_path, monkeypatch):
    folder = tmp_path / "staging"
    for name in ("events", "quads"):
        (folder / name).mkdir(parents=True)
        (folder / name / "part").write_bytes(NEW)
    steps = Steps(monkeypatch)
    sync_files(folder, ["events/part", "quads/part"])
    names = [name for _, name in steps.taken]
    assert names == ["part", "part", "events", "quads", "staging", tmp_path.name]
