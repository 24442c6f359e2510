"""Which events a question is about: those of a lake, as it is or was, within a time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from triplewire.pipeline.lake.dataframes import read_table
from triplewire.pipeline.lake.event_lake import existing_lake
from triplewire.pipeline.lake.states import LakeState
from triplewire.pipeline.lake.tables import EVENTS
from triplewire.pipeline.period import Period
from triplewire.pipeline.storage.location import Location

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class PastRequest(Struct, frozen=True, kw_only=True):
    """A lake, as of a version of `runs` or a time, and the events in it from one moment on and before another."""

    lake: str
    as_of: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    storage: dict[str, str] = {}

    @property
    def period(self) -> Period:
        return Period(self.since, self.until)

    def state(self) -> LakeState:
        """All tables as of the same moment."""
        return existing_lake(Location.of(self.lake, self.storage).absolute()).state(self.as_of)


def past_events(
    spark: SparkSession, request: PastRequest, state: LakeState, columns: Sequence[str] | None = None
) -> DataFrame:
    """The events that a question is about."""
    return request.period.of(read_table(spark, state, EVENTS, columns))
