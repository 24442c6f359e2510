"""The rows that travel: one event a row in, one match a row out. The same columns for Spark and for Arrow."""

from __future__ import annotations

import pyarrow as pa

from triplewire.matching.arrow_columns import SOLUTIONS

MOMENT = pa.timestamp("us", tz="UTC")

EVENT_COLUMNS = "event string, source string, time timestamp, payload binary"
EVENT_SCHEMA = pa.schema([("event", pa.string()), ("source", pa.string()), ("time", MOMENT), ("payload", pa.binary())])

MATCH_COLUMNS = "subscription string, event string, time timestamp, solutions array<map<string,string>>, lane string"
MATCH_SCHEMA = pa.schema(
    [
        ("subscription", pa.string()),
        ("event", pa.string()),
        ("time", MOMENT),
        ("solutions", SOLUTIONS),
        ("lane", pa.string()),
    ]
)

REJECT_SCHEMA = pa.schema(
    [
        ("file", pa.string()),
        ("line", pa.int64()),
        ("event", pa.string()),
        ("subscription", pa.string()),
        ("reason", pa.string()),
    ]
)
