"""What a compaction has to look at: all of a table, or what is new and what that touches.

New are files that runs and micro-batches have brought, and small ones that a compaction left before. What they touch
are older files with rows of the same identity (an event; a subscription and event), of which one row stays.

`quads` says itself which commits it has: each compaction leaves their transactions in that table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.pipeline.lake.commit_names import CommitName, commit_of_file
from triplewire.pipeline.lake.dataframes import read_numbered
from triplewire.pipeline.lake.delta_tables import TableFile
from triplewire.pipeline.lake.states import LakeState
from triplewire.pipeline.lake.table_writers import ROWS_A_GROUP
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, QUADS, RUNS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

IDENTITIES = {EVENTS: ["event"], NOTIFICATIONS: ["subscription", "event"]}
# One file is as few as can be.
_WORTH_IT = 2


# Jobs that bring events; others count those that they have looked at.
_BRINGING = ("match", "stream")


class QuadScope(Struct, frozen=True):
    """The commits whose quads are lacking; None for all, if the table has to be made anew."""

    commits: list[CommitName] | None

    @property
    def is_whole(self) -> bool:
        return self.commits is None


def scope_of(spark: SparkSession, state: LakeState, table: str) -> list[TableFile]:
    """The files of a table that are worth to be rewritten."""
    files = state.files(table)
    fresh = [file for file in files if commit_of_file(file.path) is not None]
    if not fresh:
        return []
    small = [file for file in files if file not in fresh and file.rows < ROWS_A_GROUP]
    others = [file for file in files if file not in fresh and file not in small]
    touched = _touched(spark, state, table, [*fresh, *small], others) if table in IDENTITIES and others else []
    scope = [*fresh, *small, *touched]
    return scope if len(scope) >= _WORTH_IT or table in IDENTITIES else []


def _touched(
    spark: SparkSession, state: LakeState, table: str, fresh: Sequence[TableFile], others: Sequence[TableFile]
) -> list[TableFile]:
    """Older files that have a row of an identity which a new one has, too."""
    same = IDENTITIES[table]
    wanted = read_numbered(spark, state, table, fresh, same).select(*same).distinct()
    met = read_numbered(spark, state, table, others, same).join(wanted, same, "left_semi").select("file").distinct()
    return [others[row.file] for row in met.collect()]


def quad_scope(state: LakeState) -> QuadScope:
    """What `quads` lacks."""
    files = state.files(QUADS)
    # Files from before a lake was carried over are of nobody knows which commits.
    if not files or any("/" not in file.path for file in files):
        return QuadScope(None)
    return QuadScope([commit for commit in commits_with_events(state) if not state.table_has(QUADS, commit)])


def commits_with_events(state: LakeState) -> list[CommitName]:
    """Every commit that has brought events."""
    rows = state.rows(RUNS, ["run", "batch", "events", "job"])
    return [CommitName(row["run"], row["batch"]) for row in rows if row["events"] and row["job"] in _BRINGING]


def of_commits(rows: DataFrame, commits: Sequence[CommitName]) -> DataFrame:
    """Rows of some commits."""
    from pyspark.sql import functions as F  # noqa: N812  as everybody names it

    by_run: dict[str, list[int]] = {}
    for commit in commits:
        by_run.setdefault(commit.run, []).extend([] if commit.batch is None else [commit.batch])
    tests = [
        (F.col("run") == run) & (F.col("batch").isin(batches) if batches else F.col("batch").isNull())
        for run, batches in sorted(by_run.items())
    ]
    return rows.where(reduce(lambda one, other: one | other, tests, F.lit(False)))


def files_with(files: Sequence[TableFile], commits: Sequence[CommitName]) -> list[TableFile]:
    """The files that may have rows of some commits, by their names and by what Delta knows of them."""
    wanted = set(commits)
    runs = sorted({commit.run for commit in commits})
    return [file for file in files if _may_have(file, wanted, runs)]


def _may_have(file: TableFile, commits: set[CommitName], runs: Sequence[str]) -> bool:
    named = commit_of_file(file.path)
    if named is not None:
        return named in commits
    low, high = file.low.get("run"), file.high.get("run")
    return low is None or high is None or any(low <= run <= high for run in runs)
