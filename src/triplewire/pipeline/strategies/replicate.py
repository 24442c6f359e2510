"""Every task maps the whole index: nothing has to travel, so tasks can read files and write tables themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import pyarrow as pa
from msgspec import Struct

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.pipeline.index import IndexRef, build_index
from triplewire.pipeline.lake.table_writers import Draft
from triplewire.pipeline.payloads import match_batch
from triplewire.pipeline.placement import matcher_of, place
from triplewire.pipeline.progress import Counts, TaskProgress
from triplewire.pipeline.rows import EVENT_SCHEMA, MATCH_COLUMNS
from triplewire.pipeline.sources.splits import Task
from triplewire.pipeline.split_tasks import REPORT_COLUMNS, TaskSpec, task_function
from triplewire.pipeline.storage.location import Location

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Replicate(Struct, frozen=True):
    """The index as it is (see `pipeline.index`)."""

    index: IndexRef

    name: ClassVar[str] = "replicate"

    @classmethod
    def prepare(
        cls,
        spark: SparkSession,
        subscriptions: Sequence[Subscription],
        root: Path,
        taxonomy: Taxonomy | None = None,
        parts: int | None = None,
    ) -> Self:
        return cls(build_index(subscriptions, taxonomy, root))

    def match(self, events: DataFrame, progress_folder: Location | str | None = None) -> DataFrame:
        index = place(events.sparkSession, self.index, progress_folder)
        return events.select(*EVENT_SCHEMA.names).mapInArrow(matching(index, progress_folder), MATCH_COLUMNS)

    def match_splits(self, spark: SparkSession, tasks: list[Task], draft: Draft, *, strict: bool) -> DataFrame | None:
        spec = TaskSpec(tasks, place(spark, self.index, draft.progress), draft, strict)
        return spark.range(0, len(tasks), 1, len(tasks)).mapInArrow(task_function(spec), REPORT_COLUMNS)


def matching(
    index: IndexRef, progress_folder: Location | str | None = None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that matches rows of events in the tasks."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        matcher, progress = matcher_of(index), TaskProgress(progress_folder)
        for batch in batches:
            found = match_batch(matcher, batch)
            progress.add(Counts(len(batch), len(found), 0, batch.column("payload").nbytes))
            progress.quarantine(matcher.quarantined)
            yield from found.to_batches()

    return run
