"""Conditions, BIND and CONSTRUCT's template, over rows of solutions inside tasks.

Expressions are compiled in the task, by the evaluator of the living graph: errors are what the standard says they are.
What an expression says depends on its variables only, so it is asked once for all rows of a task that agree on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import pyarrow as pa
from msgspec import Struct

from triplewire.errors import RefusedFeature
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.expressions.compiler import Compiler, HasSolution, variables_in
from triplewire.evaluation.triples import Template
from triplewire.evaluation.work import Bindings, Budget, Moment, Work
from triplewire.languages.sparql.syntax import ast
from triplewire.pipeline.asking.dataset import term_spelled
from triplewire.views.graphs import QuadSet

Batches = Iterator[pa.RecordBatch]
RowFunction = Callable[[Iterable[pa.RecordBatch]], Batches]
TRIPLE_COLUMNS = ("subject", "predicate", "object")
_STEPS = 1 << 62
_MOST_REMEMBERED = 100_000
_ROWS = 8_192
T = TypeVar("T")


class When(Struct, frozen=True):
    """The moment of a query, which all its tasks share: what NOW says, and what chance depends on."""

    time: float
    salt: str

    def work(self) -> Work:
        """An evaluation that looks at no dataset."""
        return Work(QuadSet(), Budget(_STEPS), Moment.at(self.time, self.salt))


def expressions() -> Compiler:
    """Compiles expressions without EXISTS."""
    return Compiler(_no_exists)


def _no_exists(_: nodes.Node) -> HasSolution:
    raise RefusedFeature("EXISTS", wanted="an expression without EXISTS", found="EXISTS inside another expression")


class Cells:
    """The variables of an expression in the columns of a batch. `None` needs means all that there are."""

    def __init__(self, columns: Mapping[str, str], needs: Iterable[str] | None) -> None:
        wanted = columns if needs is None else set(needs)
        self._columns = [(name, column) for name, column in columns.items() if name in wanted]

    def rows(self, batch: pa.RecordBatch) -> Iterator[tuple[str | None, ...]]:
        """The cells of each row."""
        if not self._columns:
            return iter([()] * len(batch))
        return zip(*(batch.column(column).to_pylist() for _, column in self._columns), strict=True)

    def solution(self, row: tuple[str | None, ...]) -> Bindings:
        """The solution in a row."""
        pairs = zip(self._columns, row, strict=True)
        return {name: term_spelled(text) for (name, _), text in pairs if text is not None}


class _Remembered(dict[tuple[str | None, ...], T]):
    """What was said of rows before."""

    def __init__(self, say: Callable[[tuple[str | None, ...]], T]) -> None:
        super().__init__()
        self._say = say

    def __missing__(self, row: tuple[str | None, ...]) -> T:
        said = self._say(row)
        if len(self) < _MOST_REMEMBERED:
            self[row] = said
        return said


def filtering(conditions: Sequence[ast.Expression], columns: Mapping[str, str], when: When) -> RowFunction:
    """The rows for which each condition is true."""

    def run(batches: Iterable[pa.RecordBatch]) -> Batches:
        work, tests = when.work(), []
        for condition in conditions:
            holds, cells = expressions().condition(condition), Cells(columns, variables_in(condition))

            def says(row: tuple[str | None, ...], holds=holds, cells=cells) -> bool:  # type: ignore[no-untyped-def]
                return holds(cells.solution(row), work) is True

            tests.append((cells, _Remembered(says)))
        for batch in batches:
            for cells, known in tests:
                batch = batch.filter(pa.array([known[row] for row in cells.rows(batch)], pa.bool_()))
            yield batch

    return run


def extending(
    expressions_by_column: Mapping[str, ast.Expression], columns: Mapping[str, str], when: When
) -> RowFunction:
    """Rows with a column for each expression; null where it is an error."""

    def run(batches: Iterable[pa.RecordBatch]) -> Batches:
        work, computed = when.work(), []
        for name, expression in expressions_by_column.items():
            term, cells = expressions().term(expression), Cells(columns, variables_in(expression))

            def says(row: tuple[str | None, ...], term=term, cells=cells) -> str | None:  # type: ignore[no-untyped-def]
                found = term(cells.solution(row), work)
                return None if found is None else str(found)

            computed.append((name, cells, _Remembered(says)))
        for batch in batches:
            added = [pa.array([known[row] for row in cells.rows(batch)], pa.string()) for _, cells, known in computed]
            names = [*batch.schema.names, *(name for name, _, _ in computed)]
            yield pa.RecordBatch.from_arrays([*batch.columns, *added], names=names)

    return run


def constructing(template: Sequence[ast.TriplePattern], columns: Mapping[str, str], when: When) -> RowFunction:
    """The triples that a template makes of each row, as N-Triples. Blank nodes are new for every row."""

    def run(batches: Iterable[pa.RecordBatch]) -> Batches:
        from pyspark import TaskContext

        context = TaskContext.get()
        work, made, cells = when.work(), Template(template), Cells(columns, None)
        copy = 0 if context is None else context.partitionId() << 40
        for batch in batches:
            rows: list[tuple[str, str, str]] = []
            for row in cells.rows(batch):
                copy += 1
                triples = made.triples(cells.solution(row), work, copy)
                rows += ((str(t.subject), str(t.predicate), str(t.object)) for t in triples)
            yield from row_batches(TRIPLE_COLUMNS, rows)

    return run


def row_batches(names: Sequence[str], rows: Sequence[Sequence[str | None]]) -> Batches:
    """Rows of text as batches."""
    for start in range(0, len(rows), _ROWS):
        cells = zip(*rows[start : start + _ROWS], strict=True)
        yield pa.RecordBatch.from_arrays([pa.array(column, pa.string()) for column in cells], names=list(names))


def text_columns(names: Iterable[str]) -> str:
    """A schema of columns of text."""
    return ", ".join(f"`{name}` string" for name in names)
