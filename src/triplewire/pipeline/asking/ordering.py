"""ORDER BY: tasks keep what may be among the first, the driver puts that in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest

import pyarrow as pa

from triplewire.evaluation.modifiers import RowOrder
from triplewire.languages.sparql.syntax import ast
from triplewire.pipeline.asking.row_functions import Batches, Cells, RowFunction, When, expressions

Keys = Sequence[ast.OrderKey]


def first_of(keys: Keys, columns: Mapping[str, str], when: When, most: int) -> RowFunction:
    """The first rows of what a task has, in order."""

    def run(batches: Iterable[pa.RecordBatch]) -> Batches:
        best: pa.Table | None = None
        for batch in batches:
            more = pa.Table.from_batches([batch])
            found = more if best is None else pa.concat_tables([best, more])
            best = ordered(found, keys, columns, when, most)
        if best is not None:
            yield from best.to_batches()

    return run


def ordered(rows: pa.Table, keys: Keys, columns: Mapping[str, str], when: When, most: int | None = None) -> pa.Table:
    """The rows in order, or the first so many of them. Equal rows are told apart by their terms."""
    order = RowOrder([(expressions().term(key.expression), key.descending) for key in keys], columns)
    cells, work = Cells(columns, None), when.work()
    found = [order.key(cells.solution(row), work) for batch in _whole(rows) for row in cells.rows(batch)]
    places = range(len(found))
    chosen = sorted(places, key=found.__getitem__) if most is None else nsmallest(most, places, key=found.__getitem__)
    return rows.take(pa.array(chosen, pa.int64()))


def _whole(rows: pa.Table) -> list[pa.RecordBatch]:
    batches: list[pa.RecordBatch] = rows.combine_chunks().to_batches()
    return batches
