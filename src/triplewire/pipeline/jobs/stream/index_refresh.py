"""The index of subscription files and tables: what changes is indexed, and takes effect with the next micro-batch.

Failure policy: files that were good and cannot be read now leave the last index in force; the reason is a reject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pyarrow.compute as pc

from triplewire.errors import TriplewireError
from triplewire.pipeline.jobs.stream.request import StreamRequest
from triplewire.pipeline.jobs.subscription_loading import LoadedSubscriptions, load_subscriptions
from triplewire.pipeline.lake.event_lake import Lake
from triplewire.pipeline.lake.tables import REJECTS
from triplewire.pipeline.sources.split_reader import Reject
from triplewire.pipeline.storage.files import StoredFile, find_file, list_files
from triplewire.pipeline.storage.location import Location

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Stamps = tuple[tuple[str, str, int], ...]


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
        places = [Location.of(name, self._request.storage) for name in named]
        found = [file for place in places for file in _files_at(place)]
        return tuple(sorted((file.location.uri, file.modified.isoformat(), file.size) for file in found))


def _files_at(place: Location) -> list[StoredFile]:
    found = find_file(place)
    # At any depth: a table has its files in folders, and a row may go by its log alone.
    return list_files(place, recursive=True) if found is None else [found]


def _recorded_rejects(lake: Lake, run: str) -> set[Reject]:
    names = list(Reject.__struct_fields__)
    state = lake.state()
    files = [file for file in state.files(REJECTS) if file.low.get("run", run) <= run <= file.high.get("run", run)]
    batches = state.batches(REJECTS, files, [*names, "run"])
    return {
        Reject(**row)
        for batch in batches
        for row in batch.filter(pc.equal(batch["run"], run)).select(names).to_pylist()
    }
