"""`GRAPH ?g { … }`, an event at a time: whatever is inside sees that one event only, and so may be evaluated there.

Events that lack what the group requires never reach a task: its required patterns are looked up in `quads` first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import pyarrow as pa

from triplewire.errors import BudgetExceeded
from triplewire.evaluation.algebra.nodes import Node
from triplewire.evaluation.compilation import Compilation
from triplewire.evaluation.operators import Operator
from triplewire.evaluation.work import Budget, Moment, Work
from triplewire.pipeline.asking.dataset import COLUMNS, term_spelled
from triplewire.pipeline.asking.row_functions import Batches, RowFunction, When, row_batches
from triplewire.rdf.terms import NamedNode, Quad
from triplewire.views.graphs import QuadSet

_ROWS = 4_096
_Row = tuple[str, str, str, str]


def evaluating(node: Node, variables: Sequence[str], names: Sequence[str], when: When) -> RowFunction:
    """The solutions of a node over each event, of rows of quads in which those of an event stand together."""

    def run(batches: Iterable[pa.RecordBatch]) -> Batches:
        operator = Compilation().operator(node)
        rows: list[list[str | None]] = []
        for event, quads in groupby(_rows(batches), key=lambda row: row[3]):
            found = _solutions(operator, event, quads, when)
            rows += ([_spelled(solution.get(name)) for name in variables] for solution in found)
            if len(rows) >= _ROWS:
                yield from row_batches(names, rows)
                rows = []
        yield from row_batches(names, rows)

    return run


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[_Row]:
    for batch in batches:
        yield from zip(*(batch.column(name).to_pylist() for name in COLUMNS), strict=True)


def _solutions(operator: Operator, event: str, quads: Iterable[_Row], when: When) -> Iterator[dict[str, object]]:
    graph = NamedNode(event)
    dataset = QuadSet(Quad(*map(term_spelled, row[:3]), graph) for row in quads)  # type: ignore[call-arg,arg-type]
    work = Work(dataset, Budget(), Moment.at(when.time, when.salt))
    try:
        yield from operator.solve(work, {})  # type: ignore[misc]
    except BudgetExceeded as problem:
        problem.source = f"event {event}"
        raise


def _spelled(term: object | None) -> str | None:
    return None if term is None else str(term)
