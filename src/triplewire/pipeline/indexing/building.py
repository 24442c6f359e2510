"""The index of some rows, made from the one that was made last: what is in both is neither parsed nor compiled again.

Rows are compared with what the last index has of them, text by text. What is new or has changed is compiled; what is
gone or has changed is removed from a copy of the last index, and the rest of that is taken over as it is. If more has
changed than has stayed, all is compiled.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import SnapshotError
from triplewire.matching import Matcher
from triplewire.matching.segments.records import Strings
from triplewire.matching.segments.snapshots import read_snapshot
from triplewire.pipeline.index import IndexRef, indexes_in, save_index, version_of_rows
from triplewire.pipeline.indexing.compiling import CompiledRows, Refused, compile_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class _Change(Struct, frozen=True, eq=False):
    """What to do to an index: identifiers to remove, and rows to add. `index` is None where there is none to change."""

    index: IndexRef | None
    removed: list[str]
    added: pa.Table


class PendingIndex(Struct, frozen=True, eq=False):
    """The index of a table's rows, compiled and not yet put in place. `looked_at` is how many rows had to be parsed."""

    table: pa.Table
    change: _Change
    compiled: CompiledRows

    @property
    def refused(self) -> list[Refused]:
        """The rows that are not subscribed."""
        return self.compiled.refused

    @property
    def looked_at(self) -> int:
        return int(self.change.added.num_rows)

    @property
    def subscriptions(self) -> int:
        return int(self.table.num_rows) - len(self.refused)


def compile_changes(spark: SparkSession | None, table: pa.Table, root: Path) -> PendingIndex:
    """Compile what has changed since the last index under the folder `root`. Nothing is written."""
    change = _change_since_last(table, root)
    return PendingIndex(table, change, compile_rows(spark, change.added))


def put_in_place(pending: PendingIndex, taxonomy: Taxonomy | None, root: Path) -> IndexRef:
    """Write the index under the folder `root`, or find that it is there already. What is refused is left out."""
    version = version_of_rows(_subscribed(pending), taxonomy)
    found = next((index for index in indexes_in(root) if index.version == version), None)
    return found or save_index(_matcher(pending, taxonomy), version, root)


def _change_since_last(table: pa.Table, root: Path) -> _Change:
    for index in indexes_in(root):
        try:
            change = _change(index, table)
        except SnapshotError:
            continue  # what is damaged is not built upon, and is replaced if it is wanted
        if len(change.removed) + change.added.num_rows <= table.num_rows // 2:
            return change
        break
    return _Change(None, [], table)


def _change(index: IndexRef, table: pa.Table) -> _Change:
    segment, _ = read_snapshot(index.snapshot)
    records = segment.records
    ids, texts = _as_arrow(records.ids), _as_arrow(records.sources)
    labels = _as_arrow(records.labels).take(pa.array(records.label_of))
    places = pc.index_in(table.column("id"), value_set=ids).combine_chunks()
    same = pc.and_(
        pc.equal(texts.take(places), table.column("text")), pc.equal(labels.take(places), _labels(table))
    ).fill_null(False)
    kept = np.zeros(records.size, np.bool_)
    kept[places.filter(same.combine_chunks()).to_numpy()] = True
    return _Change(index, ids.filter(pa.array(~kept)).to_pylist(), table.filter(pc.invert(same)))


def _as_arrow(strings: Strings) -> pa.LargeStringArray:
    size = strings.offsets.size - 1
    return pa.LargeStringArray.from_buffers(size, pa.py_buffer(strings.offsets), pa.py_buffer(strings.arena))


def _labels(table: pa.Table) -> pa.ChunkedArray:
    """Language and owner as a segment has them."""
    owner = pc.fill_null(table.column("owner"), "")
    return pc.binary_join_element_wise(table.column("language"), owner, pa.scalar("\t", pa.large_string()))


def _subscribed(pending: PendingIndex) -> pa.Table:
    if not pending.refused:
        return pending.table
    refused = pa.array([problem.reject.subscription for problem in pending.refused], pa.large_string())
    return pending.table.filter(pc.invert(pc.is_in(pending.table.column("id"), value_set=refused)))


def _matcher(pending: PendingIndex, taxonomy: Taxonomy | None) -> Matcher:
    last = pending.change.index
    matcher = Matcher(taxonomy) if last is None else Matcher.open(last.snapshot, taxonomy)
    for name in pending.change.removed:
        matcher.remove(name)
    matcher.add_parts(pending.compiled.parts)
    return matcher
