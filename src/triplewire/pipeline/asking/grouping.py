"""GROUP BY inside tasks. Spark counts equal rows first, so that a group has each combination of values once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import pyarrow as pa
from msgspec import Struct

from triplewire.evaluation.aggregates import Accumulator, accumulator
from triplewire.languages.sparql.syntax import ast
from triplewire.pipeline.asking.dataset import term_spelled
from triplewire.pipeline.asking.row_functions import Batches, RowFunction, row_batches

# These say the same however often they are told.
_IDEMPOTENT = frozenset(("MIN", "MAX", "SAMPLE"))
_ROWS = 4_096
_Row = tuple[object, ...]


class Column(Struct, frozen=True):
    """An aggregate, the column that it goes into, and the one of its argument; a whole solution has none."""

    aggregate: ast.Aggregate
    into: str
    argument: str | None


def aggregating(keys: Sequence[str], aggregates: Sequence[Column], times: str) -> RowFunction:
    """One row a group, of rows in which those of a group stand together, each with the number of `times` it is there.

    A row that is there no times says that the group is, with nothing in it.
    """
    arguments = [column.argument for column in aggregates if column.argument is not None]

    def run(batches: Iterable[pa.RecordBatch]) -> Batches:
        rows: list[list[str | None]] = []
        for key, members in groupby(_rows(batches, [*keys, times, *arguments]), key=lambda row: row[: len(keys)]):
            values = [accumulator(column.aggregate) for column in aggregates]
            for member in members:
                _add(values, aggregates, dict(zip(arguments, member[len(keys) + 1 :], strict=True)), member[len(keys)])
            results = [value.result() for value in values]
            rows.append([*key, *(None if term is None else str(term) for term in results)])
            if len(rows) >= _ROWS:
                yield from row_batches([*keys, *(column.into for column in aggregates)], rows)
                rows = []
        yield from row_batches([*keys, *(column.into for column in aggregates)], rows)

    return run


def _rows(batches: Iterable[pa.RecordBatch], names: Sequence[str]) -> Iterator[_Row]:
    for batch in batches:
        yield from zip(*(batch.column(name).to_pylist() for name in names), strict=True)


def _add(values: Sequence[Accumulator], aggregates: Sequence[Column], cells: dict[str, object], times: object) -> None:
    assert isinstance(times, int)
    for value, column in zip(values, aggregates, strict=True):
        once = column.aggregate.distinct or column.aggregate.name in _IDEMPOTENT
        if column.argument is None:
            term = term_spelled("<urn:any>")
        else:
            text = cells[column.argument]
            term = None if text is None else term_spelled(str(text))  # type: ignore[assignment]
        for _ in range(min(times, 1) if once else times):
            value.add(term)
