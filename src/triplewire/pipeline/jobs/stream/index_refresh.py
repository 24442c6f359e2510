"""The index of subscription files, built again when they change: what changed takes effect with the next micro-batch.

Failure policy: files that were good and cannot be read now leave the last index in force; the reason is a reject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pyarrow.compute as pc
import pyarrow.parquet as pq
from msgspec import Struct

from triplewire.errors import TriplewireError
from triplewire.pipeline.jobs.matching import REPLICATE
from triplewire.pipeline.jobs.stream.request import StreamRequest
from triplewire.pipeline.jobs.subscription_loading import Subscribed, read_all, read_taxonomy, subscribe
from triplewire.pipeline.lake.folder import Lake
from triplewire.pipeline.lake.tables import REJECTS
from triplewire.pipeline.paths import local_path
from triplewire.pipeline.sources.split_reader import Reject
from triplewire.pipeline.strategies import prepare
from triplewire.pipeline.strategies.matched import Prepared

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Stamps = tuple[tuple[str, int, int], ...]


class Indexed(Struct, frozen=True):
    """An index as its strategy wants it, and what could not be subscribed."""

    prepared: Prepared
    rejects: list[Reject]


class WatchedIndex:
    """The index for the micro-batch that begins. Raises at once if there is none to begin with."""

    def __init__(self, spark: SparkSession, request: StreamRequest, lake: Lake) -> None:
        self._spark = spark
        self._request = request
        self._lake = lake
        self._seen = self._stamps()
        self._indexed = self._read()

    def current(self) -> Indexed:
        """The index of what the files hold now."""
        seen = self._stamps()
        if seen != self._seen:
            self._indexed = self._read_again()
            self._seen = seen
        return self._indexed

    def untold(self) -> list[Reject]:
        """What could not be subscribed, as far as no micro-batch of this stream has told it."""
        rejects = self._indexed.rejects
        known = _told(self._lake, self._request.name) if rejects else set()
        return [reject for reject in rejects if reject not in known]

    def _read_again(self) -> Indexed:
        try:
            return self._read()
        except TriplewireError as problem:
            if self._request.strict:
                raise
            reason = [Reject(None, None, None, None, f"subscriptions: {problem}")]
            return msgspec.structs.replace(self._indexed, rejects=reason)

    def _read(self) -> Indexed:
        strict, strategy, root = self._request.strict, self._request.strategy, self._lake.indexes
        read = read_all(self._request.subscriptions, strict=strict)
        taxonomy = read_taxonomy(self._request.taxonomy)
        if strategy == REPLICATE:
            subscribed: Subscribed = subscribe(read, taxonomy, root, strict=strict)
            return Indexed(subscribed.index, subscribed.rejects)
        prepared = prepare(self._spark, read.good, root, strategy, taxonomy=taxonomy)
        return Indexed(prepared, read.bad)

    def _stamps(self) -> Stamps:
        named = [*self._request.subscriptions, *([self._request.taxonomy] if self._request.taxonomy else [])]
        paths = [
            file for name in map(local_path, named) for file in ([name, *name.iterdir()] if name.is_dir() else [name])
        ]
        return tuple(
            (str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in sorted(paths) if path.exists()
        )


def _told(lake: Lake, run: str) -> set[Reject]:
    names = list(Reject.__struct_fields__)
    tables = (pq.read_table(path, columns=[*names, "run"]) for path in lake.files(REJECTS))
    rows = (row for table in tables for row in table.filter(pc.equal(table["run"], run)).select(names).to_pylist())
    return {Reject(**row) for row in rows}
