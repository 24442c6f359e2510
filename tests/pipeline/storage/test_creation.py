from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from triplewire.pipeline.storage.creation import create_bytes
from triplewire.pipeline.storage.files import list_files, read_bytes
from triplewire.pipeline.storage.location import Location


def test_of_many_writers_exactly_one_succeeds(tmp_path):
    root = Location.of(tmp_path)

    def attempt(number: int) -> int | None:
        try:
            create_bytes(root / "folder" / "x", str(number).encode())
        except FileExistsError:
            return None
        return number

    with ThreadPoolExecutor(8) as pool:
        won = [number for number in pool.map(attempt, range(16)) if number is not None]
    assert len(won) == 1
    assert read_bytes(root / "folder" / "x") == str(won[0]).encode()
    assert [file.location.name for file in list_files(root / "folder")] == ["x"]


def test_a_file_that_is_there_is_left_as_it_is(tmp_path):
    (tmp_path / "x").write_text("old")
    with pytest.raises(FileExistsError):
        create_bytes(Location.of(tmp_path / "x"), b"new")
    assert (tmp_path / "x").read_text() == "old"
