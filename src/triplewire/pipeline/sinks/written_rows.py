"""Which rows are written: events (payload, and where they are there event, source and time), or notifications.

A payload is read and made canonical, as a message of Kafka is: what is no sound event, or not the event that it is said
to be, has a reason instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from triplewire.errors import InputError
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS
from triplewire.pipeline.rows import EVENT_SCHEMA, MATCH_SCHEMA, MOMENT, REJECT_SCHEMA
from triplewire.pipeline.sources.kafka import read_messages

_PAYLOAD = "payload"
_UNNAMED = "dataframe"


class WrittenRows(Struct, frozen=True):
    """Rows of a table, and rejects."""

    rows: pa.Table
    rejects: pa.Table


def table_of(columns: Sequence[str]) -> str:
    """The table that rows with these columns go to."""
    if _PAYLOAD in columns:
        return EVENTS
    if set(MATCH_SCHEMA.names) <= set(columns):
        return NOTIFICATIONS
    raise InputError(
        subject='the format "triplewire"',
        wanted=f"the column {_PAYLOAD}, or those of notifications: {', '.join(MATCH_SCHEMA.names)}",
        found=", ".join(columns) or "none",
    )


def notifications_in(batch: pa.RecordBatch) -> WrittenRows:
    """Rows of notifications, as they are."""
    rows = pa.Table.from_batches([batch.select(MATCH_SCHEMA.names)]).cast(MATCH_SCHEMA)
    return WrittenRows(rows, REJECT_SCHEMA.empty_table())


def events_in(batch: pa.RecordBatch, now: datetime) -> Iterator[WrittenRows]:
    """Rows of events. Those that say nothing of their time are of now."""
    size, names = len(batch), batch.schema.names
    said = batch.column("event") if "event" in names else pa.nulls(size, pa.string())
    source = batch.column("source") if "source" in names else pa.nulls(size, pa.string())
    time = batch.column("time").cast(MOMENT) if "time" in names else pa.nulls(size, MOMENT)
    asked = pa.RecordBatch.from_pydict(
        {
            "value": batch.column(_PAYLOAD).cast(pa.binary()),
            "source": source.fill_null(_UNNAMED),
            "time": time.fill_null(pa.scalar(now, MOMENT)),
        }
    )
    start = 0
    for found in read_messages(asked):
        yield _parted(found, said.slice(start, len(found)))
        start += len(found)


def _parted(found: pa.RecordBatch, said: pa.StringArray) -> WrittenRows:
    event = found.column("event")
    other = pc.fill_null(pc.not_equal(event, said), False)
    wrong = pc.binary_join_element_wise("wanted the event ", said, ", found ", event, " in its payload", "")
    problem = pc.if_else(other, wrong, found.column("problem"))
    sound = pc.is_null(problem)
    bad = found.filter(pc.invert(sound))
    rejects = {
        "file": bad.column("source"),
        "line": pa.nulls(len(bad), pa.int64()),
        "event": pc.coalesce(said.filter(pc.invert(sound)), bad.column("event")),
        "subscription": pa.nulls(len(bad), pa.string()),
        "reason": problem.filter(pc.invert(sound)),
    }
    rows = pa.Table.from_batches([found.filter(sound).select(EVENT_SCHEMA.names)]).cast(EVENT_SCHEMA)
    return WrittenRows(rows, pa.table(rejects, REJECT_SCHEMA))
