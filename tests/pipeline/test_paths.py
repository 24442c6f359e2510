"""Paths are local ones, whichever command or function gets them: other storage is refused before any work."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from triplewire import Subscription
from triplewire.cli.app import app
from triplewire.cli.pipeline.group import app as pipeline
from triplewire.errors import InputError
from triplewire.pipeline import build_index
from triplewire.pipeline.jobs.compaction import CompactRequest, compact
from triplewire.pipeline.jobs.matching import MatchRequest, match_files
from triplewire.pipeline.jobs.stream import Folder
from triplewire.pipeline.jobs.subscription_loading import read_all, read_taxonomy
from triplewire.pipeline.paths import absolute_path, local_name, local_path
from triplewire.pipeline.sources.datasource import EventFiles
from triplewire.pipeline.sources.files import find_files

ELSEWHERE = ["s3a://bucket/lake", "hdfs://name/x", "gs://b", "S3://b/*.nq", "file://host/x", "file://", "abfss://c@a/x"]
_METAVARS = ("PATH", "LAKE", "FOLDER", "FILE")


def path_options() -> list[tuple[str, str, list[str]]]:
    """Every option of every command that takes a path, with the others that the command asks for."""
    commands = typer.main.get_command(pipeline).commands
    found = []
    for name, command in commands.items():
        for option in command.params:
            if (option.metavar or "").rstrip(".") in _METAVARS:
                others = [p for p in command.params if p.required and p is not option]
                found.append((name, option.opts[0], [word for p in others for word in (p.opts[0], "x")]))
    return found


@pytest.mark.parametrize(("command", "option", "others"), path_options(), ids=lambda value: str(value))
def test_a_path_option_refuses_other_storage_as_a_wrong_call(command, option, others, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["pipeline", command, option, "s3a://bucket/x", *others])
    assert done.exit_code == 2
    assert "s3a://bucket/x" in done.stderr
    assert option in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_all_commands_are_looked_at():
    assert {command for command, _, _ in path_options()} == {
        "match", "stream", "backfill", "replay", "profile", "compact",
    }  # fmt: skip


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_library_refuses_it_too(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.nq").write_text("<urn:s> <urn:p> <urn:o> <urn:e> .\n")
    everyone = [Subscription.parse("ASK { ?s ?p ?o }", id="s")]
    request = MatchRequest(events=("e.nq",), subscriptions=("x",), out=name)
    calls = [
        lambda: local_path(name),
        lambda: find_files([name]),
        lambda: read_all([name], strict=False),
        lambda: read_taxonomy(name),
        lambda: Folder(name),
        lambda: EventFiles({"path": name}).reader(None).partitions(),
        lambda: EventFiles({"path": name}).streamReader(None),
        lambda: build_index(everyone, None, name),
        lambda: match_files(None, request),
        lambda: compact(None, CompactRequest(lake=name)),
    ]
    for call in calls:
        with pytest.raises(InputError, match="wanted a path in a file system"):
            call()
    assert [path.name for path in tmp_path.iterdir()] == ["e.nq"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("lake", "lake"),
        ("file:///a%20b/*.nq", "/a b/*.nq"),
        ("FILE://localhost/a", "/a"),
        ("a:b", "a:b"),
        ("x/s3a://b", "x/s3a://b"),
    ],
)
def test_what_is_a_file_of_this_machine(given, meant):
    assert local_name(given) == meant


class TestSeenElsewhere:
    """Workers have other working folders."""

    def test_events_are_named_by_whole_paths(self, tmp_path, monkeypatch):
        (tmp_path / "feed" / "day").mkdir(parents=True)
        (tmp_path / "feed" / "day" / "1.nq").touch()
        monkeypatch.chdir(tmp_path / "feed")
        whole = [str(tmp_path / "feed" / "day" / "1.nq")]
        for name in ("day", "day/1.nq", "./day/*.nq", "../feed/day", "**/*.nq"):
            assert [file.path for file in find_files([name])] == whole

    def test_a_link_stays_a_link(self, tmp_path):
        (tmp_path / "data").mkdir()
        (tmp_path / "today").symlink_to("data")
        assert absolute_path(tmp_path / "today" / "x.nq") == tmp_path / "today" / "x.nq"


def test_an_index_is_built_under_a_folder_that_is_named_by_a_string(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    index = build_index([Subscription.parse("ASK { ?s ?p ?o }", id="s")], None, "indexes")
    assert (Path("indexes") / index.version / "index.json").is_file()
    assert build_index([Subscription.parse("ASK { ?s ?p ?o }", id="s")], None, Path("indexes")) == index
