"""F10, in small: whatever a writer was doing when it was killed, the next one finds all of a commit or nothing."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from triplewire.errors import LakeError
from triplewire.pipeline.lake import commits
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.delta_tables import LakeTable
from triplewire.pipeline.lake.event_lake import Lake, existing_lake, open_lake, require_room
from triplewire.pipeline.lake.table_writers import Draft, Part, write_rows
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, REJECTS, RUNS, Run
from triplewire.pipeline.storage.location import Location

NOW = datetime(2024, 5, 1, tzinfo=UTC)


class Killed(BaseException):
    pass


def row_of(name: CommitName, **others) -> Run:
    known = {
        "run": name.run, "job": "match", "batch": name.batch, "strategy": "replicate", "index": None, "taxonomy": None,
        "subscriptions": 1, "events": 1, "matches": 1, "rejects": 0, "quarantined": 0, "inputs": [], "started": NOW,
        "finished": NOW, "triplewire": "0", "spark": "0", "stamps": [name.label],
    }  # fmt: skip
    return Run(**{**known, **others})


def parts_of(draft: Draft, event: str) -> list[Part]:
    written = [
        write_rows(draft, EVENTS, [{"event": event, "source": "a.nq", "time": NOW, "payload": b""}]),
        write_rows(
            draft,
            NOTIFICATIONS,
            [{"subscription": "s", "event": event, "time": NOW, "solutions": [], "lane": "fast"}],
        ),
    ]
    return [part for part in written if part is not None]


def commit(lake: Lake, name: CommitName, event: str | None = None) -> Run:
    with lake.drafting(name) as draft:
        return lake.publish(name, row_of(name), parts_of(draft, event or name.label))


def events_in(lake: Lake) -> list[str]:
    return sorted(row["event"] for row in lake.state().rows(EVENTS))


@pytest.fixture
def root(tmp_path) -> Location:
    return Location.of(tmp_path / "lake")


def test_a_commit_is_in_every_table_and_says_so(root):
    lake = open_lake(root)
    assert events_in(lake) == []
    commit(lake, CommitName("one"))
    assert lake.has(CommitName("one"))
    assert not lake.has(CommitName("one", 0))
    assert lake.runs() == {"one"}
    assert events_in(lake) == ["one-once"]
    assert [row["subscription"] for row in lake.state().rows(NOTIFICATIONS)] == ["s"]
    assert lake.run_row(CommitName("one")).versions == {EVENTS: 1, NOTIFICATIONS: 1}


def test_the_same_commit_again_changes_nothing(root):
    lake = open_lake(root)
    first = commit(lake, CommitName("papers", 3))
    versions = {table: lake.state().version(table) for table in (EVENTS, NOTIFICATIONS, RUNS)}
    assert commit(lake, CommitName("papers", 3), "another").stamps == first.stamps
    assert events_in(lake) == ["papers-00000003"]
    assert {table: lake.state().version(table) for table in (EVENTS, NOTIFICATIONS, RUNS)} == versions


TABLES = (EVENTS, NOTIFICATIONS, RUNS)


@pytest.mark.parametrize("place", [*TABLES, "record"])
def test_what_was_decided_is_carried_out_by_the_next_writer(root, monkeypatch, place):
    """Killed before a table is changed, or before the record goes; meanwhile nobody reads half of it."""
    lake = open_lake(root)
    commit(lake, CommitName("before"))
    change, forget = LakeTable.change, commits.delete_file

    def dying(table: LakeTable, *arguments) -> int:
        if table.name == place:
            raise Killed
        return change(table, *arguments)

    def dying_late(location: Location) -> None:
        if place == "record":
            raise Killed
        forget(location)

    monkeypatch.setattr(LakeTable, "change", dying)
    monkeypatch.setattr(commits, "delete_file", dying_late)
    with pytest.raises(Killed):
        commit(lake, CommitName("one"))
    monkeypatch.undo()
    torn = place != "record"
    assert events_in(lake) == (["before-once"] if torn else ["before-once", "one-once"])
    assert len(lake.state().rows(NOTIFICATIONS)) == (1 if torn else 2)
    for _ in range(2):
        lake = open_lake(root)
        assert events_in(lake) == ["before-once", "one-once"]
        assert len(lake.state().rows(NOTIFICATIONS)) == 2
        assert lake.runs() == {"before", "one"}
    assert list((root.local / "_triplewire" / "commits").iterdir()) == []


def test_what_was_written_and_not_decided_is_read_by_nobody(root):
    lake = open_lake(root)
    parts_of(Draft(root, CommitName("one").new_folder(), "one"), "urn:half")
    assert not open_lake(root).has(CommitName("one"))
    assert events_in(lake) == []


def test_a_block_that_fails_leaves_nothing(root):
    lake = open_lake(root)

    def work() -> None:
        with lake.drafting(CommitName("one")) as draft:
            parts_of(draft, "urn:half")
            raise Killed

    with pytest.raises(Killed):
        work()
    assert list(root.local.glob("*/*/*.parquet")) == []


def test_an_interrupt_while_a_decided_commit_is_carried_out_loses_nothing(root, monkeypatch):
    lake = open_lake(root)
    change = LakeTable.change

    def interrupted(table: LakeTable, *arguments) -> int:
        if table.name == NOTIFICATIONS:
            raise KeyboardInterrupt
        return change(table, *arguments)

    monkeypatch.setattr(LakeTable, "change", interrupted)
    with pytest.raises(KeyboardInterrupt):
        commit(lake, CommitName("one"))
    monkeypatch.undo()
    assert events_in(open_lake(root)) == ["one-once"]


def test_of_two_drivers_of_the_same_micro_batch_one_counts_in_all_tables(root):
    lakes = [open_lake(root), open_lake(root)]
    with ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(lambda n: commit(lakes[n], CommitName("papers", 0), f"urn:by-{n}"), range(2)))
    [event] = events_in(open_lake(root))
    [notified] = [row["event"] for row in lakes[0].state().rows(NOTIFICATIONS)]
    assert event == notified
    assert len(lakes[0].commits_of("papers")) == 1
    assert rows[0] == rows[1] or rows[0].stamps == rows[1].stamps


def test_several_write_at_the_same_time(root):
    open_lake(root)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: [commit(open_lake(root), CommitName(f"run-{n}", m)) for m in range(3)], range(4)))
    assert events_in(open_lake(root)) == sorted(f"run-{n}-{m:08}" for n in range(4) for m in range(3))


class TestReplacing:
    """Files are replaced by one commit at a time; one that comes too late changes nothing."""

    def replaced(self, lake: Lake, run: str, event: str) -> None:
        state = lake.state()
        with lake.redrafting(run) as draft:
            rows = [{"event": event, "source": "", "time": NOW, "payload": b"", "run": "one", "batch": None}]
            part = write_rows(draft, EVENTS, rows)
            assert part is not None
            self.between(lake)
            lake.publish(CommitName(run), row_of(CommitName(run)), [part], {EVENTS: state.files(EVENTS)})

    def between(self, lake: Lake) -> None: ...

    def test_what_is_replaced_goes_and_the_new_is_there(self, root):
        lake = open_lake(root)
        commit(lake, CommitName("one"))
        self.replaced(lake, "compact-1", "urn:merged")
        assert events_in(lake) == ["urn:merged"]
        # It was a reader's, who may have it open.
        assert len(list(root.local.glob("events/*/*.parquet"))) == 2

    def test_one_that_comes_too_late_changes_nothing_and_leaves_nothing(self, root):
        lake = open_lake(root)
        commit(lake, CommitName("one"))
        other = TestReplacing()
        self.between = lambda lake: other.replaced(lake, "compact-2", "urn:first")  # type: ignore[method-assign]
        with pytest.raises(LakeError, match="another run has replaced meanwhile; nothing was changed"):
            self.replaced(lake, "compact-1", "urn:late")
        assert events_in(open_lake(root)) == ["urn:first"]
        assert len(list(root.local.glob("events/compact-1*"))) == 0

    def test_a_commit_that_comes_meanwhile_stays(self, root):
        lake = open_lake(root)
        commit(lake, CommitName("one"))
        self.between = lambda lake: commit(lake, CommitName("papers", 0))  # type: ignore[method-assign]
        self.replaced(lake, "compact-1", "urn:merged")
        assert events_in(lake) == ["papers-00000000", "urn:merged"]

    @pytest.mark.parametrize("place", [EVENTS, RUNS])
    def test_one_that_was_killed_is_carried_out_and_nothing_is_lost_meanwhile(self, root, monkeypatch, place):
        lake = open_lake(root)
        commit(lake, CommitName("one"))
        change = LakeTable.change

        def dying(table: LakeTable, *arguments) -> int:
            if table.name == place:
                raise Killed
            return change(table, *arguments)

        monkeypatch.setattr(LakeTable, "change", dying)
        with pytest.raises(Killed):
            self.replaced(lake, "compact-1", "urn:merged")
        monkeypatch.undo()
        assert events_in(lake) == (["one-once"] if place == EVENTS else ["urn:merged"])
        assert events_in(open_lake(root)) == ["urn:merged"]


class TestAsOf:
    def test_the_lake_as_it_was(self, root):
        lake = open_lake(root)
        commit(lake, CommitName("one"))
        version = lake.state().version(RUNS)
        moment = datetime.now(UTC)
        commit(lake, CommitName("two"))
        for as_of in (str(version), moment.isoformat()):
            past = lake.state(as_of)
            assert [row["event"] for row in past.rows(EVENTS)] == ["one-once"]
            assert [row["run"] for row in past.rows(RUNS)] == ["one"]
        assert len(lake.state((moment + timedelta(days=1)).isoformat()).rows(RUNS)) == 2

    def test_what_was_not_complete_then_is_not_there(self, root, monkeypatch):
        """The events of `half` come before the row of `one`, its own row after it."""
        lake = open_lake(root)
        change = LakeTable.change

        def dying(table: LakeTable, *arguments) -> int:
            if table.name == NOTIFICATIONS:
                raise Killed
            return change(table, *arguments)

        monkeypatch.setattr(LakeTable, "change", dying)
        with pytest.raises(Killed):
            commit(lake, CommitName("half"))
        monkeypatch.undo()
        commit(lake, CommitName("one"))
        version = str(lake.state().version(RUNS))
        assert events_in(open_lake(root)) == ["half-once", "one-once"]
        assert [row["event"] for row in lake.state(version).rows(EVENTS)] == ["one-once"]

    def test_a_version_that_is_none(self, root):
        lake = open_lake(root)
        commit(lake, CommitName("one"))
        with pytest.raises(LakeError):
            lake.state("99")


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(LakeError, match="found something else"):
        open_lake(Location.of(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_another_run_s_data_is_refused(root):
    lake = open_lake(root)
    commit(lake, CommitName("monday"))
    require_room(lake, "monday")
    with pytest.raises(LakeError, match="found data of monday"):
        require_room(lake, "tuesday")


def test_a_lake_of_another_format_is_refused(root):
    open_lake(root)
    (root.local / "_triplewire" / "lake.json").write_text('{"format": 9}')
    for opened in (open_lake, existing_lake):
        with pytest.raises(LakeError, match="wanted a lake of format 2, found format 9"):
            opened(root)


def test_a_name_that_leads_elsewhere_is_refused():
    with pytest.raises(LakeError, match=r"found '\.\./x'"):
        CommitName("../x")


class TestForeignTables:
    """A table that is not ours to write is left as it is."""

    def test_another_schema(self, root):
        open_lake(root)
        DeltaTable.create(str(root.local / EVENTS), schema=pa.schema([("event", pa.int64())]))
        with pytest.raises(LakeError, match="wanted a column event of string in the table events, found int64"):
            open_lake(root)

    def test_a_newer_protocol(self, root):
        lake = open_lake(root)
        commit(lake, CommitName("one"))
        log = root.local / EVENTS / "_delta_log"
        protocol = (
            '{"protocol":{"minReaderVersion":3,"minWriterVersion":7,'
            '"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}'
        )
        (log / f"{len(list(log.glob('*.json'))):020}.json").write_text(protocol + "\n")
        with pytest.raises(LakeError, match=r"wanted a table of Delta's protocol 1 for readers.*deletionVectors"):
            lake.state()
        with pytest.raises(LakeError, match="deletionVectors"):
            commit(lake, CommitName("two"))
        with pytest.raises(LakeError, match="deletionVectors"):
            open_lake(root)
        assert list((root.local / "_triplewire" / "commits").glob("*")) == []
        assert list(root.local.glob("*/two-*/*")) == []

    def test_a_version_of_the_protocol_that_nobody_knows(self, root):
        lake = open_lake(root)
        commit(lake, CommitName("one"))
        log = root.local / REJECTS / "_delta_log"
        log.mkdir(parents=True)
        (log / f"{0:020}.json").write_text('{"protocol":{"minReaderVersion":9,"minWriterVersion":9}}\n')
        with pytest.raises(LakeError):
            lake.state()


def test_whatever_a_record_names_is_forced_to_disk_before_the_record_is_there(root, monkeypatch):
    forced: list[tuple[str, bool]] = []
    fsync = os.fsync
    record = root.local / "_triplewire" / "commits" / "one-once.json"

    def recorded(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        forced.append((path.name, record.exists()))
        fsync(descriptor)

    lake = open_lake(root)
    with lake.drafting(CommitName("one")) as draft:
        parts = parts_of(draft, "urn:event")
        monkeypatch.setattr(os, "fsync", recorded)
        lake.publish(CommitName("one"), row_of(CommitName("one")), parts)
    before = [name for name, decided in forced if not decided]
    assert {Path(part.path).name for part in parts} <= set(before)
    assert before[-2].startswith(".one-once.json.")
    after = [name for name, decided in forced if decided]
    # The record's folder; then each table's log, and for `runs` its file before.
    assert after[0] == "commits"
    assert after.count("_delta_log") >= 3
