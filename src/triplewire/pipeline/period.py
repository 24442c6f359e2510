"""A piece of time: the events of a lake from one moment on, and before another."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Period(Struct, frozen=True):
    """From `since` on, and before `until`. A moment without a zone is UTC."""

    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_always(self) -> bool:
        return self.since is None and self.until is None

    def meets(self, low: datetime | None, high: datetime | None) -> bool:
        """Whether rows whose times lie between these, where they are known, may be in it."""
        begins = self.since is None or high is None or high >= _moment(self.since)
        return begins and (self.until is None or low is None or low < _moment(self.until))

    def of(self, rows: DataFrame) -> DataFrame:
        """The rows whose time is in it."""
        from pyspark.sql import functions as F  # noqa: N812  as everybody names it

        if self.since is not None:
            rows = rows.where(F.col("time") >= F.lit(_moment(self.since)))
        if self.until is not None:
            rows = rows.where(F.col("time") < F.lit(_moment(self.until)))
        return rows


ALWAYS = Period()


def _moment(time: datetime) -> datetime:
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time
