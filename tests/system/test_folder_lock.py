"""Locks that keep a folder to one process at a time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from triplewire.errors import FolderInUse
from triplewire.system.folder_lock import lock_folder, wait_for_folder

IN_USE = FolderInUse("wanted the folder, found it in use")


def test_of_two_holders_the_second_is_refused_until_the_first_lets_go(tmp_path):
    first = lock_folder(tmp_path / "lock", IN_USE)
    with pytest.raises(FolderInUse, match="found it in use") as refused:
        lock_folder(tmp_path / "lock", IN_USE)
    assert refused.value is IN_USE
    first.release()
    with lock_folder(tmp_path / "lock", IN_USE):
        first.release()
        with pytest.raises(FolderInUse):
            lock_folder(tmp_path / "lock", IN_USE)
    lock_folder(tmp_path / "lock", IN_USE).release()


def test_a_refusal_leaves_nothing_open(tmp_path):
    with lock_folder(tmp_path / "lock", IN_USE):
        before = len(list(Path("/proc/self/fd").iterdir()))
        with pytest.raises(FolderInUse):
            lock_folder(tmp_path / "lock", IN_USE)
        assert len(list(Path("/proc/self/fd").iterdir())) == before


def holder(file: Path) -> int:
    """Another process that holds the lock, and says so."""
    ready, told = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            kept = lock_folder(file, IN_USE)
            os.write(told, b"held")
            os.read(os.open(f"{file}.end", os.O_RDONLY), 1)
            kept.release()
        finally:
            os._exit(0)
    assert os.read(ready, 4) == b"held"
    os.close(ready)
    os.close(told)
    return child


def test_f1_a_killed_process_lets_go(tmp_path):
    os.mkfifo(tmp_path / "lock.end")
    other = holder(tmp_path / "lock")
    with pytest.raises(FolderInUse):
        lock_folder(tmp_path / "lock", IN_USE)
    os.kill(other, 9)
    with wait_for_folder(tmp_path / "lock"), pytest.raises(FolderInUse):
        lock_folder(tmp_path / "lock", IN_USE)
    os.waitpid(other, 0)


def test_who_waits_gets_it_when_the_other_lets_go(tmp_path):
    os.mkfifo(tmp_path / "lock.end")
    other = holder(tmp_path / "lock")
    os.close(os.open(tmp_path / "lock.end", os.O_WRONLY))
    with wait_for_folder(tmp_path / "lock"), pytest.raises(FolderInUse):
        lock_folder(tmp_path / "lock", IN_USE)
    os.waitpid(other, 0)


def test_a_program_that_the_holder_starts_does_not_hold_it_on(tmp_path):
    lock = lock_folder(tmp_path / "lock", IN_USE)
    program = [sys.executable, "-c", "print(flush=True); input()"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"\n"
        lock.release()
        lock_folder(tmp_path / "lock", IN_USE).release()
        child.communicate(b"\n")


def test_a_folder_that_is_not_there_is_another_matter(tmp_path):
    with pytest.raises(FileNotFoundError):
        lock_folder(tmp_path / "none" / "lock", IN_USE)
