"""The index of subscription files, built again when they change: what changed takes effect with the next micro-batch.

Failure policy: files that were good and cannot be read now leave the last index in force; the reason is a reject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pyarrow.compute as pc
import pyarrow.parquet as pq

from triplewire.errors import TriplewireError
from triplewire.pipeline.jobs.stream.request import StreamRequest
from triplewire.pipeline.jobs.subscription_loading import LoadedSubscriptions, load_subscriptions
from triplewire.pipeline.lake.folder import Lake
from triplewire.pipeline.lake.tables import REJECTS
from triplewire.pipeline.paths import local_path
from triplewire.pipeline.sources.split_reader import Reject

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Stamps = tuple[tuple[str, int, int], ...]


class RefreshedIndex:
    """The index for the micro-batch that begins. Raises at once if there is none to begin with."""

    def __init__(self, spark: SparkSession, request: StreamRequest, lake: Lake) -> None:
        self._spark = spark
        self._request = request
        self._lake = lake
        self._seen = self._stamps()
        self._loaded = self._load()

    def current(self) -> LoadedSubscriptions:
        """The index of what the files hold now."""
        seen = self._stamps()
        if seen != self._seen:
            self._loaded = self._load_again()
            self._seen = seen
        return self._loaded

    def unrecorded_rejects(self) -> list[Reject]:
        """What could not be subscribed, as far as no micro-batch of this stream has recorded it."""
        rejects = self._loaded.rejects
        known = _recorded_rejects(self._lake, self._request.name) if rejects else set()
        return [reject for reject in rejects if reject not in known]

    def _load_again(self) -> LoadedSubscriptions:
        try:
            return self._load()
        except TriplewireError as problem:
            if self._request.strict:
                raise
            reason = [Reject(None, None, None, None, f"subscriptions: {problem}")]
            return msgspec.structs.replace(self._loaded, rejects=reason)

    def _load(self) -> LoadedSubscriptions:
        return load_subscriptions(self._spark, self._request, self._lake.indexes, self._request.strategy)

    def _stamps(self) -> Stamps:
        named = [*self._request.subscriptions, *([self._request.taxonomy] if self._request.taxonomy else [])]
        paths = [
            file for name in map(local_path, named) for file in ([name, *name.iterdir()] if name.is_dir() else [name])
        ]
        return tuple(
            (str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in sorted(paths) if path.exists()
        )


def _recorded_rejects(lake: Lake, run: str) -> set[Reject]:
    names = list(Reject.__struct_fields__)
    tables = (pq.read_table(path, columns=[*names, "run"]) for path in lake.files(REJECTS))
    rows = (row for table in tables for row in table.filter(pc.equal(table["run"], run)).select(names).to_pylist())
    return {Reject(**row) for row in rows}
