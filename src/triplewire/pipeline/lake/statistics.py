"""What Delta is told of a file: how many rows, and for each column the least and the greatest value and the nulls.

Readers skip files by it. A text is cut where it is long, the greatest one so that it stays the greatest.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pyarrow.parquet as pq

_LONGEST = 256
_LAST_CHARACTER = "\U0010ffff"


def statistics_of(metadata: pq.FileMetaData, columns: Iterable[str]) -> str:
    """The statistics of a file, as a Delta log has them."""
    low: dict[str, Any] = {}
    high: dict[str, Any] = {}
    nulls: dict[str, int] = {}
    places = {metadata.schema.column(n).path: n for n in range(metadata.num_columns)}
    for name in columns:
        found = [metadata.row_group(n).column(places[name]).statistics for n in range(metadata.num_row_groups)]
        if any(one is None or not one.has_null_count for one in found):
            continue
        nulls[name] = sum(one.null_count for one in found)
        valued = [one for one in found if one.has_min_max]
        if valued and all(one.has_min_max or one.num_values == 0 for one in found):
            low[name] = _least(min(one.min for one in valued))
            high[name] = _greatest(max(one.max for one in valued))
    found_all = {"numRecords": metadata.num_rows, "minValues": low, "maxValues": high, "nullCount": nulls}
    return msgspec.json.encode(found_all).decode()


def _least(value: Any) -> Any:
    if isinstance(value, datetime):
        return _milliseconds(value)
    return value[:_LONGEST] if isinstance(value, str) else value


def _greatest(value: Any) -> Any:
    if isinstance(value, datetime):
        # A Delta log counts milliseconds.
        return _milliseconds(value + timedelta(microseconds=-value.microsecond % 1_000))
    if isinstance(value, str) and len(value) > _LONGEST:
        return value[:_LONGEST] + _LAST_CHARACTER
    return value


def _milliseconds(value: datetime) -> str:
    return f"{value:%Y-%m-%dT%H:%M:%S}.{value.microsecond // 1_000:03}Z"
