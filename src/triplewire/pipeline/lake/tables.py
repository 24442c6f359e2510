"""The tables of the lake and their columns."""

from __future__ import annotations

from datetime import datetime

import pyarrow as pa
from msgspec import Struct

from triplewire.pipeline.rows import EVENT_SCHEMA, MATCH_SCHEMA, MOMENT, REJECT_SCHEMA

EVENTS, QUADS, NOTIFICATIONS, REJECTS, RUNS = TABLES = ("events", "quads", "notifications", "rejects", "runs")

_RUN = pa.field("run", pa.string())
# Which micro-batch, if the run is a stream.
_BATCH = pa.field("batch", pa.int64())


class Run(Struct, frozen=True):
    """What one commit did. `batch` is the micro-batch of a stream; `index` and `taxonomy` are versions.

    `inputs` are for people to read, `stamps` are the same as exactly as a repeat is to be known by; `versions` are
    those of the tables that the commit has changed, after it did.
    """

    run: str
    job: str
    batch: int | None
    strategy: str
    index: str | None
    taxonomy: str | None
    subscriptions: int
    events: int
    matches: int
    rejects: int
    quarantined: int
    inputs: list[str]
    started: datetime
    finished: datetime
    triplewire: str
    spark: str
    stamps: list[str] = []
    versions: dict[str, int] = {}


SCHEMAS = {
    EVENTS: EVENT_SCHEMA.append(_RUN).append(_BATCH),
    QUADS: pa.schema([(name, pa.string()) for name in ("subject", "predicate", "object", "event")] + [_RUN, _BATCH]),
    NOTIFICATIONS: MATCH_SCHEMA.append(_RUN).append(_BATCH),
    REJECTS: REJECT_SCHEMA.append(_RUN).append(_BATCH),
    RUNS: pa.schema(
        [
            ("run", pa.string()),
            ("job", pa.string()),
            ("batch", pa.int64()),
            ("strategy", pa.string()),
            ("index", pa.string()),
            ("taxonomy", pa.string()),
            ("subscriptions", pa.int64()),
            ("events", pa.int64()),
            ("matches", pa.int64()),
            ("rejects", pa.int64()),
            ("quarantined", pa.int64()),
            ("inputs", pa.list_(pa.string())),
            ("started", MOMENT),
            ("finished", MOMENT),
            ("triplewire", pa.string()),
            ("spark", pa.string()),
            ("stamps", pa.list_(pa.string())),
            ("versions", pa.map_(pa.string(), pa.int64())),
        ]
    ),
}

# Columns whose least and greatest values are worth knowing; those of payloads are not.
COUNTED = {
    EVENTS: ("event", "source", "time", "run", "batch"),
    QUADS: ("subject", "predicate", "object", "event", "run", "batch"),
    NOTIFICATIONS: ("subscription", "event", "time", "lane", "run", "batch"),
    REJECTS: ("file", "line", "event", "subscription", "run", "batch"),
    RUNS: ("run", "job", "batch", "started", "finished"),
}
