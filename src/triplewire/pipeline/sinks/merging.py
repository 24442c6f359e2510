"""What was written, merged with what the lake has: an event by its name, a notification by subscription and event.

The same content again is left out. Another content of an event that the lake has is a reject, as it is an error at a
node. Files in which nothing is left out stay as the tasks have written them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct
from numpy.typing import NDArray

from triplewire.pipeline.lake.event_lake import Lake
from triplewire.pipeline.lake.states import file_batches
from triplewire.pipeline.lake.table_writers import Draft, Part, TableWriter
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS
from triplewire.pipeline.sources.split_reader import Reject
from triplewire.pipeline.storage.files import delete_file

_KEYS = {EVENTS: ["event"], NOTIFICATIONS: ["subscription", "event"]}
_CONTENT = {EVENTS: "payload"}
_REASON = "wanted the content that this event has in the lake, found another one"


class Merged(Struct, frozen=True):
    """The files that are left to commit, and what was another content."""

    parts: list[Part]
    rejects: list[Reject]


def merged(lake: Lake, draft: Draft, table: str, parts: Sequence[Part]) -> Merged:
    """Merge the files that tasks have written for a table."""
    keys = [_keys(batch, table) for part in parts for batch in _batches(draft, part, _KEYS[table])]
    if not keys:
        return Merged(list(parts), [])
    known = _known(lake, table, pa.chunked_array(keys))
    disputed = pa.array(sorted({*known, *_repeated(pa.chunked_array(keys))}), pa.string())
    if not len(disputed):
        return Merged(list(parts), [])
    merger = _Merger(draft, table, disputed, known)
    return Merged([kept for part in parts if (kept := merger.merge(part)) is not None], merger.rejects)


class _Merger:
    """Goes through the files in order, and remembers the content of every event that is there twice."""

    def __init__(self, draft: Draft, table: str, disputed: pa.StringArray, known: dict[str, str]) -> None:
        self._draft = draft
        self._table = table
        self._disputed = disputed
        self._known = known
        self.rejects: list[Reject] = []

    def merge(self, part: Part) -> Part | None:
        """The file, or one without what is left out; None if nothing is left."""
        if not any(self._hits(batch).any() for batch in _batches(self._draft, part, _KEYS[self._table])):
            return part
        writer = TableWriter(self._draft, self._table)
        for batch in _batches(self._draft, part):
            writer.write(batch.filter(pa.array(self._wanted(batch))))
        delete_file(self._draft.lake / part.table / part.path)
        return writer.close()

    def _hits(self, batch: pa.RecordBatch) -> NDArray[np.bool_]:
        found = pc.is_in(_keys(batch, self._table), value_set=self._disputed)
        return np.asarray(found.to_numpy(zero_copy_only=False), np.bool_)

    def _wanted(self, batch: pa.RecordBatch) -> list[bool]:
        names, contents = _keys(batch, self._table).to_pylist(), _contents(batch, self._table)
        hits = self._hits(batch)
        return [not hit or self._is_new(batch, row, names[row], contents[row]) for row, hit in enumerate(hits)]

    def _is_new(self, batch: pa.RecordBatch, row: int, name: str, content: str) -> bool:
        if name not in self._known:
            self._known[name] = content
            return True
        if self._known[name] != content:
            self.rejects.append(Reject(batch.column("source")[row].as_py(), None, name, None, _REASON))
        return False


def _known(lake: Lake, table: str, keys: pa.ChunkedArray) -> dict[str, str]:
    """The content of each of these that the lake has."""
    state = lake.state()
    found: dict[str, str] = {}
    for file in state.files(table):
        names = state.batches(table, [file], _KEYS[table])
        if not any(pc.any(pc.is_in(_keys(batch, table), value_set=keys)).as_py() for batch in names):
            continue
        for batch in state.batches(table, [file]):
            there = batch.filter(pc.is_in(_keys(batch, table), value_set=keys))
            for name, content in zip(_keys(there, table).to_pylist(), _contents(there, table), strict=True):
                found.setdefault(name, content)
    return found


def _repeated(keys: pa.ChunkedArray) -> list[str]:
    """Those that are there more than once."""
    counts = pc.value_counts(keys)
    return list(counts.field("values").filter(pc.greater(counts.field("counts"), 1)).to_pylist())


def _keys(batch: pa.RecordBatch, table: str) -> pa.StringArray:
    names = _KEYS[table]
    if len(names) == 1:
        return batch.column(names[0])
    return pc.binary_join_element_wise(*(batch.column(name) for name in names), "\n")


def _contents(batch: pa.RecordBatch, table: str) -> list[str]:
    column = _CONTENT.get(table)
    if column is None:
        return ["" for _ in range(len(batch))]
    return [hashlib.sha256(payload).hexdigest() for payload in batch.column(column).to_pylist()]


def _batches(draft: Draft, part: Part, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    yield from file_batches(draft.lake / part.table / part.path, part.table, columns)
