"""The tables of the lake and their columns."""

from __future__ import annotations

from datetime import datetime

import pyarrow as pa
from msgspec import Struct

from triplewire.pipeline.rows import EVENT_SCHEMA, MATCH_SCHEMA, MOMENT, REJECT_SCHEMA

EVENTS, QUADS, NOTIFICATIONS, REJECTS, RUNS = TABLES = ("events", "quads", "notifications", "rejects", "runs")

_RUN = pa.field("run", pa.string())


class Run(Struct, frozen=True):
    """What one commit did. `batch` is the micro-batch of a stream; `index` and `taxonomy` are versions."""

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


SCHEMAS = {
    EVENTS: EVENT_SCHEMA.append(_RUN),
    QUADS: pa.schema([(name, pa.string()) for name in ("subject", "predicate", "object", "event", "run")]),
    NOTIFICATIONS: MATCH_SCHEMA.append(_RUN),
    REJECTS: REJECT_SCHEMA.append(_RUN),
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
        ]
    ),
}
