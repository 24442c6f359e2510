"""Which files hold events, and by which names workers with other working folders find them."""

from __future__ import annotations

import pytest

from triplewire.errors import InputError
from triplewire.pipeline.sources.files import find_files, list_sources
from triplewire.pipeline.sources.options import DEFAULT_READ_OPTIONS
from triplewire.pipeline.storage.location import Location


@pytest.fixture
def feed(tmp_path, monkeypatch):
    (tmp_path / "feed" / "day").mkdir(parents=True)
    for name in ("1.nq", ".2.nq", "notes.txt", "_3.nq"):
        (tmp_path / "feed" / "day" / name).touch()
    monkeypatch.chdir(tmp_path / "feed")
    return tmp_path / "feed"


@pytest.mark.parametrize("name", ["day", "day/1.nq", "./day/*1.nq", "../feed/day", "**/1.nq", "da[xy]"])
def test_events_are_named_by_whole_paths(feed, name):
    assert [file.path for file in find_files([name])] == [str(feed / "day" / "1.nq")]


def test_a_file_that_is_named_twice_is_one(feed):
    assert len(find_files(["day", "day/1.nq", f"file://{feed}/day"])) == 1


def test_a_link_stays_a_link(feed):
    (feed / "today").symlink_to("day")
    assert [file.path for file in find_files(["today"])] == [str(feed / "today" / "1.nq")]


@pytest.mark.parametrize("name", ["none", "none/*.nq", "ftp://host/x", "file://host/x"])
def test_what_names_nothing_is_refused(feed, name):
    with pytest.raises(InputError, match="wanted"):
        find_files([name])


@pytest.mark.parametrize("name", ["day", "day/*.nq", "none", "none/*.nq"])
def test_a_folder_that_is_watched_may_be_empty_still(feed, name):
    found = list_sources(Location.of(name), DEFAULT_READ_OPTIONS)
    assert [file.path for file in found] == ([str(feed / "day" / "1.nq")] if name.startswith("day") else [])
