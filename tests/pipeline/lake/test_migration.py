"""A lake of the form before is carried over, also by one who is killed on the way, and a stream of it goes on."""

from __future__ import annotations

import pytest
from deltalake import DeltaTable
from tests.pipeline.lake.old_lakes import write_old_lake
from tests.pipeline.samples import rows_of

from triplewire.errors import LakeError
from triplewire.pipeline.jobs.stream.committed_inputs import committed_inputs
from triplewire.pipeline.lake import migration
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.event_lake import existing_lake, open_lake
from triplewire.pipeline.lake.migration import migrate
from triplewire.pipeline.storage.location import Location

EVENTS = ["urn:papers-00000000", "urn:papers-00000001", "urn:tuesday"]


class Killed(BaseException):
    pass


@pytest.fixture
def root(tmp_path) -> Location:
    write_old_lake(tmp_path / "lake")
    return Location.of(tmp_path / "lake")


def test_what_was_decided_is_carried_over_and_nothing_else(root):
    done = migrate(root)
    assert (done.files["events"], done.rows["notifications"], done.runs) == (3, 3, 3)
    assert [event for (event,) in rows_of(root.local, "events", "event")] == EVENTS
    lake = open_lake(root)
    assert sorted(row["event"] for row in lake.state().rows("events")) == EVENTS
    assert len(lake.state().rows("notifications")) == 3
    assert {(row.run, row.batch) for row in lake.commits_of("papers")} == {("papers", 0), ("papers", 1)}
    assert not (root.local / ".staging").exists()
    assert migrate(root) == migration.Migration()


def test_a_run_is_known_by_its_name_and_a_stream_by_its_inputs(root):
    migrate(root)
    lake = open_lake(root)
    assert lake.has(CommitName("tuesday"))
    assert lake.has(CommitName("papers", 1))
    assert not lake.has(CommitName("papers", 2))
    known = committed_inputs(lake, "papers")
    assert (known.next, known.last) == (2, ["a-1.nq?size=1&modified=x"])


@pytest.mark.parametrize("step", ["_carry_out", "_made_table", "_made_runs", "replace_file", "_clear"])
def test_whoever_is_killed_is_followed_by_one_who_finishes(root, monkeypatch, step):
    def killed(*_: object) -> None:
        raise Killed

    monkeypatch.setattr(migration, step, killed)
    with pytest.raises(Killed):
        migrate(root)
    monkeypatch.undo()
    migrate(root)
    assert sorted(row["event"] for row in open_lake(root).state().rows("events")) == EVENTS
    assert len(DeltaTable(root.local / "runs").to_pyarrow_table()) == 3


def test_it_is_read_as_it_is_and_not_written(root):
    lake = existing_lake(root)
    assert sorted(row["event"] for row in lake.state().rows("events")) == ["urn:papers-00000000", "urn:tuesday"]
    with pytest.raises(LakeError, match=r"found format 1, folders of Parquet, which is only read.*migrate"):
        open_lake(root)
    with pytest.raises(LakeError, match="wanted a lake that has versions"):
        lake.state("1")
    assert not (root.local / "events" / "_delta_log").exists()
