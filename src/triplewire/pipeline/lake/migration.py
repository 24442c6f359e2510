"""Carry a lake of the form before over: its files become those of Delta tables, where they are.

Failure policy: the lake is of the old form until its description says otherwise, which is the last step. Every step
before can be repeated: a table that is made is left as it is, and `runs` is made last.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
from deltalake import DeltaTable
from deltalake.transaction import AddAction, CommitProperties
from msgspec import Struct

from triplewire.errors import LakeError
from triplewire.pipeline.lake.commit_names import CommitName, rewrite_folder
from triplewire.pipeline.lake.commits import DATA_TABLES
from triplewire.pipeline.lake.delta_tables import transactions_of
from triplewire.pipeline.lake.event_lake import FORMAT, OLD_FORMAT, format_of
from triplewire.pipeline.lake.old_form import OldCommit, old_commits
from triplewire.pipeline.lake.statistics import statistics_of
from triplewire.pipeline.lake.table_writers import Draft, write_rows
from triplewire.pipeline.lake.tables import COUNTED, RUNS, SCHEMAS
from triplewire.pipeline.storage.location import Location
from triplewire.system.durable_files import replace_file, sync, sync_files
from triplewire.system.folder_lock import lock_folder

_OURS, _STAGING = "_triplewire", ".staging"


class Migration(Struct, frozen=True):
    """How many files and rows each table has, and how many runs there were. Empty if there was nothing to do."""

    files: dict[str, int] = {}
    rows: dict[str, int] = {}
    runs: int = 0


def migrate(root: Location) -> Migration:
    """Carry a lake over. One that is of the new form stays as it is."""
    found = format_of(root)
    if found == FORMAT:
        return Migration()
    if found != OLD_FORMAT:
        raise LakeError(wanted=f"a lake of format {OLD_FORMAT}", found=f"format {found}", source=root.uri)
    home = root.local
    in_use = LakeError(wanted="a lake that nobody writes to", found="a run that is writing to it", source=root.uri)
    with lock_folder(home / _OURS / "lock", in_use):
        commits = _set_aside(home)
        _carry_out(home, commits)
        files = {table: _made_table(home, table) for table in DATA_TABLES}
        rows = _made_runs(root, commits)
        replace_file(home / _OURS / "lake.json", msgspec.json.encode({"format": FORMAT}))
    _clear(home)
    return Migration(
        {table: len(names) for table, names in files.items()},
        {table: sum(names.values()) for table, names in files.items()},
        rows,
    )


def _set_aside(home: Path) -> list[OldCommit]:
    """Records of the new form have the same place."""
    records, aside = home / _OURS / "commits", home / _OURS / "old-commits"
    if records.is_dir() and not aside.exists():
        records.rename(aside)
        sync(home / _OURS)
    return old_commits(Location.of(aside))


def _carry_out(home: Path, commits: list[OldCommit]) -> None:
    """Finish what was decided before, and forget what was not."""
    for commit in commits:
        staged = home / _STAGING / commit.id
        if not staged.is_dir():
            continue
        for name in commit.adds:
            if (staged / name).exists():
                (home / name).parent.mkdir(exist_ok=True)
                (staged / name).rename(home / name)
        sync_files(home, [name for name in commit.adds if (home / name).exists()])
        for name in commit.removes:
            (home / name).unlink(missing_ok=True)
    shutil.rmtree(home / _STAGING, ignore_errors=True)


def _made_table(home: Path, table: str) -> dict[str, int]:
    """Make a table of the files in its folder; returns the rows of each."""
    folder = home / table
    paths = sorted(folder.glob("*.parquet"))
    described = {path: pq.read_metadata(path) for path in paths}
    if paths and not (folder / "_delta_log").exists():
        adds = [
            AddAction(
                path.name,
                path.stat().st_size,
                {},
                int(path.stat().st_mtime * 1_000),
                True,
                statistics_of(metadata, _known(table, metadata)),
            )
            for path, metadata in described.items()
        ]
        _create(folder, table, adds, [])
    return {path.name: metadata.num_rows for path, metadata in described.items()}


def _known(table: str, metadata: pq.FileMetaData) -> list[str]:
    there = {metadata.schema.column(number).path for number in range(metadata.num_columns)}
    return [name for name in COUNTED[table] if name in there]


def _made_runs(root: Location, commits: list[OldCommit]) -> int:
    """Make `runs`, with what the records say of each micro-batch's inputs, and a transaction for each run."""
    home = root.local
    paths = sorted((home / RUNS).glob("*.parquet"))
    inputs = {commit.id: commit.inputs for commit in commits}
    rows = [_row(row, inputs) for path in paths for row in pq.read_table(path).to_pylist()]
    if rows and not (home / RUNS / "_delta_log").exists():
        part = write_rows(Draft(root, rewrite_folder("migrated")), RUNS, rows)
        assert part is not None
        sync_files(home / RUNS, [part.path])
        add = AddAction(part.path, part.size, {}, part.modified, True, part.statistics)
        _create(home / RUNS, RUNS, [add], rows)
    return len(rows)


def _row(row: dict[str, Any], inputs: dict[str, list[str]]) -> dict[str, Any]:
    commit = row["run"] if row["batch"] is None else f"{row['run']}-{row['batch']:08}"
    return {**row, "stamps": inputs.get(commit, []), "versions": []}


def _create(folder: Path, table: str, adds: list[AddAction], rows: list[dict[str, Any]]) -> None:
    transactions = transactions_of(CommitName(row["run"], row["batch"]) for row in rows)
    # Made aside, so that a table is there with all of it or not at all.
    draft = folder / f".migrating-{time.time_ns()}"
    draft.mkdir()
    made = DeltaTable.create(str(draft), schema=SCHEMAS[table], name=table)
    properties = CommitProperties(app_transactions=transactions)
    made.create_write_transaction(list(adds), "append", made.schema(), commit_properties=properties)
    sync_files(draft, [f"_delta_log/{path.name}" for path in (draft / "_delta_log").glob("*.json")])
    (draft / "_delta_log").rename(folder / "_delta_log")
    draft.rmdir()
    sync(folder)


def _clear(home: Path) -> None:
    """Remove what only the old form had. Files that were replaced, and kept for readers, go with it."""
    for name in ("old-commits", "files"):
        shutil.rmtree(home / _OURS / name, ignore_errors=True)
    for path in sorted((home / RUNS).glob("*.parquet")):
        path.unlink()
    (home / _OURS / "lock").unlink(missing_ok=True)
