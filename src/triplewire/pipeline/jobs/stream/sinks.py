"""Where notifications go beside the lake: after the commit that holds them, and again if the driver was killed before
it could note that they went.

What goes out is read from the lake's own commit, so that a repeat says the same as the first time; a reader that goes
by the identity of a notification, (subscription, event), counts it once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow.compute as pc
import pyarrow.parquet as pq
from msgspec import Struct, field

from triplewire.errors import NodeRefused
from triplewire.pipeline.jobs.stream.notification_events import NotificationEvent, notification_event
from triplewire.pipeline.jobs.stream.retry import with_retries
from triplewire.pipeline.jobs.stream.stop_signal import StopSignal
from triplewire.pipeline.lake.folder import Lake
from triplewire.pipeline.lake.tables import NOTIFICATIONS
from triplewire.pipeline.sources.kafka import send_to_kafka
from triplewire.rdf.limits import MIB

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ROWS_AT_ONCE = 500
_BYTES_AT_ONCE = 4 * MIB
_CONFLICT = 409


class Sink(Protocol):
    """Where the notifications of a commit go."""

    def deliver(self, spark: SparkSession, lake: Lake, commit: str, stop: StopSignal) -> int:
        """Deliver them all; returns how many there were."""


class Publisher(Protocol):
    """Who takes events; `triplewire.client.Client` does."""

    def publish(self, events: bytes, /) -> object: ...


class ToNode(Struct, frozen=True):
    """Publish every notification to a node, as an event for its subscribers (see `notification_events`)."""

    node: Publisher

    def deliver(self, spark: SparkSession, lake: Lake, commit: str, stop: StopSignal) -> int:
        count = 0
        for some in _together(map(notification_event, rows_of(lake, commit))):
            self._send(some, stop)
            count += len(some)
        return count

    def _send(self, some: list[NotificationEvent], stop: StopSignal) -> None:
        try:
            with_retries(lambda: self.node.publish(b"".join(one.nquads for one in some)), stop)
        except NodeRefused as problem:
            # The node has one of these with other solutions, from another run: what was published first stays.
            if problem.status != _CONFLICT:
                raise
            if len(some) > 1:
                for one in some:
                    self._send([one], stop)


class ToKafka(Struct, frozen=True):
    """Send every notification to a topic, as JSON, keyed by its identity."""

    servers: str
    topic: str
    options: Mapping[str, str] = field(default_factory=dict)

    def deliver(self, spark: SparkSession, lake: Lake, commit: str, stop: StopSignal) -> int:
        files, run = files_of(lake, commit)
        if not files:
            return 0
        from pyspark.sql import functions as F  # noqa: N812  as everybody names it

        rows = spark.read.parquet(*(str(path.resolve()) for path in files)).where(F.col("run") == run)
        return send_to_kafka(rows, self.servers, self.topic, self.options)


def files_of(lake: Lake, commit: str) -> tuple[list[Path], str]:
    """The files that hold the notifications of a commit, and its run. If they were compacted since: all files."""
    record = lake.commit(commit)
    named = [lake.root / name for name in record.adds if name.startswith(f"{NOTIFICATIONS}/")]
    return (named if all(path.exists() for path in named) else lake.files(NOTIFICATIONS)), record.run


def rows_of(lake: Lake, commit: str) -> Iterator[dict[str, Any]]:
    """The notifications of a commit."""
    files, run = files_of(lake, commit)
    for path in files:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_ROWS_AT_ONCE):
                yield from batch.filter(pc.equal(batch.column("run"), run)).to_pylist()


def _together(events: Iterator[NotificationEvent]) -> Iterator[list[NotificationEvent]]:
    """As many at once as fit into a request; one name once, since a request that contradicts itself is refused."""
    some: dict[str, NotificationEvent] = {}
    size = 0
    for one in events:
        if one.name in some:
            continue
        if len(some) >= _ROWS_AT_ONCE or size + len(one.nquads) > _BYTES_AT_ONCE:
            yield list(some.values())
            some, size = {}, 0
        some[one.name] = one
        size += len(one.nquads)
    if some:
        yield list(some.values())
