"""The file layer on local disks; `make test-object-storage` runs it on S3."""

from __future__ import annotations

import pytest

from triplewire.pipeline.storage.files import (
    delete_file,
    delete_folder,
    find_file,
    folder_exists,
    list_files,
    list_folders,
    open_output,
    open_range,
    read_bytes,
    replace_bytes,
    replace_small,
)
from triplewire.pipeline.storage.location import Location


@pytest.fixture
def root(tmp_path) -> Location:
    return Location.of(tmp_path)


def test_what_is_written_is_found_listed_and_read(root):
    replace_bytes(root / "a" / "x.txt", b"one")
    with open_output(root / "a" / "b" / "y.txt") as stream:
        stream.write(b"two")
    replace_bytes(root / "a" / "x.txt", b"three")
    assert read_bytes(root / "a" / "x.txt") == b"three"
    found = find_file(root / "a" / "x.txt")
    assert found is not None
    assert (found.size, found.location) == (5, root / "a" / "x.txt")
    assert [file.location.relative_to(root) for file in list_files(root / "a")] == ["a/x.txt"]
    assert [f.location.relative_to(root) for f in list_files(root, recursive=True)] == ["a/b/y.txt", "a/x.txt"]
    assert [folder.name for folder in list_folders(root / "a")] == ["b"]
    assert folder_exists(root / "a")


def test_a_range_is_read(root):
    replace_bytes(root / "x", b"0123456789")
    with open_range(root / "x") as file:
        file.seek(3)
        assert file.read(4) == b"3456"
        assert file.read(100) == b"789"
        assert file.read(1) == b""


def test_what_is_not_there(root):
    assert find_file(root / "none") is None
    assert list_files(root / "none") == []
    assert not folder_exists(root / "none")
    with pytest.raises(FileNotFoundError):
        read_bytes(root / "none")
    delete_file(root / "none")
    delete_folder(root / "none")


def test_what_is_deleted_is_gone(root):
    replace_bytes(root / "a" / "x", b"")
    replace_bytes(root / "a" / "y", b"")
    delete_file(root / "a" / "x")
    assert [file.location.name for file in list_files(root / "a")] == ["y"]
    delete_folder(root / "a")
    assert list_files(root / "a") == []


def test_a_name_that_ends_in_gz_does_not_change_what_is_written(root):
    with open_output(root / "a.gz") as stream:
        stream.write(b"plain")
    assert read_bytes(root / "a.gz") == b"plain"


def test_a_few_bytes_are_never_half_there(root):
    replace_small(root / "progress" / "x", b"one")
    replace_small(root / "progress" / "x", b"three")
    assert [(file.location.name, file.size) for file in list_files(root / "progress")] == [("x", 5)]
