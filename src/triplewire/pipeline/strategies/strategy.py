"""`Strategy`: one way for events and subscriptions to meet, for batches, streams and DataFrames alike."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, Self

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.pipeline.index import IndexRef
from triplewire.pipeline.lake.table_writers import Draft
from triplewire.pipeline.sources.splits import Task
from triplewire.pipeline.storage.location import Location

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Strategy(Protocol):
    """A strategy with the index that it has prepared. All strategies give the same matches.

    `prepare` is called once for a set of subscriptions, on the driver; the matching methods plan Spark queries, and run
    nothing themselves. With `progress_folder`, which lies in the lake, tasks write there how far they are and what they
    quarantined (see `pipeline.progress`), and open the index where it lies; without it Spark carries the index.
    """

    name: ClassVar[str]

    @classmethod
    def prepare(
        cls,
        spark: SparkSession,
        subscriptions: Sequence[Subscription],
        root: Path,
        taxonomy: Taxonomy | None = None,
        parts: int | None = None,
    ) -> Self:
        """Write what the strategy needs under `root`, unless it is there. `parts` is for one that cuts the index."""

    @property
    def index(self) -> IndexRef:
        """What `runs` records of the index: version, taxonomy and number of subscriptions."""

    def match(self, events: DataFrame, progress_folder: Location | str | None = None) -> DataFrame:
        """The matches of rows of events, one row a match (`rows.MATCH_COLUMNS`)."""

    def match_splits(self, spark: SparkSession, tasks: list[Task], draft: Draft, *, strict: bool) -> DataFrame | None:
        """The reports of tasks that read splits, match and write tables themselves (`split_tasks.REPORT_COLUMNS`).

        No event passes through Spark on this way. None if events have to travel to their subscriptions: then the splits
        become rows for `match`.
        """
