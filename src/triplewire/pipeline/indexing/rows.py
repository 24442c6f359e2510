"""Subscriptions as columns: read, each identifier once, and not parsed. A million take little more than their text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice

import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace

from triplewire.languages.entries import BadEntry, SubscriptionEntry
from triplewire.languages.files import each_entry

# The fields of an entry: what is subscribed, and where it stands.
COLUMNS = SubscriptionEntry.__struct_fields__
SCHEMA = pa.schema([(name, pa.int64() if name == "place" else pa.large_string()) for name in COLUMNS])
_ROWS_AT_A_TIME = 20_000


class SubscriptionRows(Struct, frozen=True, eq=False):
    """What some paths hold: rows of `SCHEMA`, and what could not be read."""

    table: pa.Table
    bad: list[BadEntry]

    @property
    def characters(self) -> int:
        """About how long all texts are together."""
        return int(self.table.column("text").nbytes)


def read_rows(paths: Iterable[str], origin: Callable[[str], str] = str) -> SubscriptionRows:
    """Read every subscription that the paths name. `origin` says where a file is a copy from."""
    bad: list[BadEntry] = []
    named = cache(origin)
    batches = list(_batches(_good(each_entry(paths), bad), named))
    return SubscriptionRows(
        pa.Table.from_batches(batches, SCHEMA), [replace(entry, source=named(entry.source)) for entry in bad]
    )


def entries_in(batch: pa.RecordBatch) -> Iterator[SubscriptionEntry]:
    """The rows of a batch as entries again."""
    return (SubscriptionEntry(**row) for row in batch.to_pylist())


def _good(entries: Iterable[SubscriptionEntry | BadEntry], bad: list[BadEntry]) -> Iterator[SubscriptionEntry]:
    for entry in entries:
        if isinstance(entry, BadEntry):
            bad.append(entry)
        else:
            yield entry


def _batches(entries: Iterator[SubscriptionEntry], origin: Callable[[str], str]) -> Iterator[pa.RecordBatch]:
    while some := list(islice(entries, _ROWS_AT_A_TIME)):
        columns = {name: [getattr(entry, name) for entry in some] for name in COLUMNS}
        columns["file"] = list(map(origin, columns["file"]))
        yield pa.RecordBatch.from_pydict(columns, schema=SCHEMA)
