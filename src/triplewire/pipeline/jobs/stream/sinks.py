"""Where notifications go beside the lake: after the commit that holds them, and again if the driver was killed before
it could note that they went.

What goes out is read from the lake's own commit, so that a repeat says the same as the first time; a reader that goes
by the identity of a notification, (subscription, event), counts it once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow.compute as pc
from msgspec import Struct, field

from triplewire.errors import NodeRefused
from triplewire.pipeline.jobs.stream.notification_events import NotificationEvent, notification_event
from triplewire.pipeline.jobs.stream.retry import with_retries
from triplewire.pipeline.jobs.stream.stop_signal import StopSignal
from triplewire.pipeline.lake.commit_names import CommitName, commit_of_file
from triplewire.pipeline.lake.dataframes import read_files
from triplewire.pipeline.lake.delta_tables import TableFile
from triplewire.pipeline.lake.event_lake import Lake
from triplewire.pipeline.lake.states import LakeState
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

    def deliver(self, spark: SparkSession, lake: Lake, commit: CommitName, stop: StopSignal) -> int:
        """Deliver them all; returns how many there were."""


class Publisher(Protocol):
    """Who takes events; `triplewire.client.Client` does."""

    def publish(self, events: bytes, /) -> object: ...


class ToNode(Struct, frozen=True):
    """Publish every notification to a node, as an event for its subscribers (see `notification_events`)."""

    node: Publisher

    def deliver(self, spark: SparkSession, lake: Lake, commit: CommitName, stop: StopSignal) -> int:
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

    def deliver(self, spark: SparkSession, lake: Lake, commit: CommitName, stop: StopSignal) -> int:
        state = lake.state()
        files = files_of(state, commit)
        if not files:
            return 0
        from pyspark.sql import functions as F  # noqa: N812  as everybody names it

        rows = read_files(spark, state, NOTIFICATIONS, files)
        ours = rows.where((F.col("run") == commit.run) & (F.col("batch") == commit.batch))
        return send_to_kafka(ours.drop("batch"), self.servers, self.topic, self.options)


def files_of(state: LakeState, commit: CommitName) -> list[TableFile]:
    """The files that hold the notifications of a commit. If they were compacted since: all that may hold some."""
    files = state.files(NOTIFICATIONS)
    named = [file for file in files if commit_of_file(file.path) == commit]
    return named or [file for file in files if _may_hold(file, commit)]


def _may_hold(file: TableFile, commit: CommitName) -> bool:
    if commit_of_file(file.path) is not None:
        return False
    return bool(file.low.get("run", commit.run) <= commit.run <= file.high.get("run", commit.run))


def rows_of(lake: Lake, commit: CommitName) -> Iterator[dict[str, Any]]:
    """The notifications of a commit."""
    state = lake.state()
    for batch in state.batches(NOTIFICATIONS, files_of(state, commit)):
        ours = pc.and_(pc.equal(batch["run"], commit.run), pc.equal(batch["batch"], commit.batch))
        yield from batch.filter(ours).drop_columns(["batch"]).to_pylist()


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
