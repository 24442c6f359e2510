"""`ask`: a SPARQL query over the history of a lake, answered as `/events/sparql` of a node that keeps the same events.

The answer of a SELECT is a table with a column a variable, that of a CONSTRUCT a table of triples, terms in N-Triples
spelling; that of an ASK is yes or no. What has an order, and what is shown, comes to the driver; the rest may be
written by tasks (`write_answer`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from secrets import token_hex
from typing import TYPE_CHECKING

import pyarrow as pa
from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.errors import InputError, LimitExceeded
from triplewire.evaluation.forms import Form, form_of
from triplewire.languages.sparql.lowering.oxigraph_limits import check_evaluable
from triplewire.languages.sparql.parsing.parser import parse_query
from triplewire.languages.sparql.syntax import ast
from triplewire.languages.trees import walk
from triplewire.pipeline.asking.dataset import Quads, quads_of, term_spelled
from triplewire.pipeline.asking.ordering import first_of, ordered
from triplewire.pipeline.asking.planner import Planner, require_answerable, text_columns_of
from triplewire.pipeline.asking.plans import Plan
from triplewire.pipeline.asking.row_functions import TRIPLE_COLUMNS, When, constructing, text_columns
from triplewire.pipeline.failures import explained
from triplewire.pipeline.jobs.gauges import ByTasks
from triplewire.pipeline.jobs.questions.parquet_folder import require_new, write_folder
from triplewire.pipeline.jobs.questions.past import PastRequest
from triplewire.pipeline.jobs.task_runner import NoListener, ProgressListener, run_step
from triplewire.pipeline.lake.states import LakeState
from triplewire.pipeline.lake.tables import EVENTS
from triplewire.pipeline.progress import Counts
from triplewire.pipeline.storage.location import Location
from triplewire.rdf.solutions import Solutions, Triples
from triplewire.rdf.terms import Triple

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# What the driver holds of an answer at most.
MOST_ROWS = 1_000_000


class AskRequest(PastRequest, frozen=True, kw_only=True):
    """A query over the events of a lake; `limit` is how many rows of the answer are wanted."""

    query: str
    limit: int | None = None


class Answer(Struct, frozen=True):
    """Rows of text by column: variables without their question mark, or the parts of triples. Unbound is null."""

    names: tuple[str, ...]
    rows: list[tuple[str | None, ...]]
    is_graph: bool = False

    def solutions(self) -> Solutions:
        """The answer of a SELECT."""
        pairs = (zip(self.names, row, strict=True) for row in self.rows)
        return Solutions(({name: term_spelled(text) for name, text in row if text} for row in pairs), self.names)

    def triples(self) -> Triples:
        """What a CONSTRUCT made."""
        return Triples(Triple(*map(term_spelled, row)) for row in self.rows)  # type: ignore[arg-type]


def ask(spark: SparkSession, request: AskRequest, listener: ProgressListener | None = None) -> Answer | bool:
    """The answer, at the driver."""
    state = request.state()
    with explained():
        question = _question(spark, request, state)
        return run_step(spark, listener or NoListener(), "asking", _gauge(state), question.answer)


def write_answer(spark: SparkSession, request: AskRequest, out: str, listener: ProgressListener | None = None) -> None:
    """Write the answer of a SELECT or CONSTRUCT as a folder of Parquet, which must be new."""
    folder, state = Location.of(out, request.storage).absolute(), request.state()
    require_new(folder)
    with explained():
        question = _question(spark, request, state)
        run_step(spark, listener or NoListener(), "asking", _gauge(state), lambda: question.write(folder))


def _question(spark: SparkSession, request: AskRequest, state: LakeState) -> Question:
    return Question(spark, request.query, quads_of(spark, state, request.period), request.limit)


def _gauge(state: LakeState) -> ByTasks:
    return ByTasks(whole=Counts(events=state.count(EVENTS)))


class Question:
    """A query over quads, planned: nothing has been read yet. `limit` is how many rows of the answer are wanted."""

    def __init__(self, spark: SparkSession, text: str, quads: Quads, limit: int | None = None) -> None:
        tree = parse_query(text)
        check_evaluable(tree)
        require_answerable(tree)
        self._spark = spark
        self._limit = limit
        self._form: Form = form_of(tree)
        self._when = When(datetime.now(UTC).timestamp(), token_hex(16))
        self._plan = Planner(spark, quads, self._when).plan(self._form.wrapped)

    @property
    def _is_yes_or_no(self) -> bool:
        return isinstance(self._form.query, ast.AskQuery)

    def answer(self) -> Answer | bool:
        """The answer, at the driver."""
        if self._is_yes_or_no:
            return bool(self._plan.frame.limit(1).take(1)) if not self._form.offset else self._has_more()
        table = _collected(self._shown())
        if self._template is not None:
            return Answer(TRIPLE_COLUMNS, _rows(table), is_graph=True)
        return Answer(self._form.names, _rows(table) if self._form.names else [()] * len(table))

    def write(self, folder: Location) -> None:
        """Write the answer as Parquet."""
        if self._is_yes_or_no:
            raise InputError(subject="Parquet", wanted="the answer of a SELECT or CONSTRUCT", found="that of an ASK")
        frame = self._shown()
        names = [name.casefold() for name in frame.columns]
        if len(set(names)) < len(names):
            raise InputError(subject="Parquet", wanted="variables that differ by more than case", found="others")
        write_folder(frame, folder, pa.schema([(name, pa.string()) for name in frame.columns]))

    @property
    def _template(self) -> Sequence[ast.TriplePattern] | None:
        query = self._form.query
        return query.template if isinstance(query, ast.ConstructQuery) else None

    def _has_more(self) -> bool:
        return bool(self._plan.frame.offset(self._form.offset).limit(1).take(1))

    def _shown(self) -> DataFrame:
        """The answer as rows."""
        template = self._template
        plan = self._sliced(self._plan)
        if template is not None:
            made = plan.frame.mapInArrow(constructing(template, plan.columns, self._when), text_columns(TRIPLE_COLUMNS))
            return _limited(made.dropDuplicates(), self._limit)
        return _limited(_renamed(plan, self._form.names), self._limit)

    def _sliced(self, plan: Plan) -> Plan:
        """With DISTINCT, ORDER BY, OFFSET and LIMIT."""
        form = self._form
        if form.order:
            return self._in_order(plan)
        plan = self._distinct(plan)
        frame = plan.frame.offset(form.offset) if form.offset else plan.frame
        return Plan(_limited(frame, form.limit), plan.columns, plan.certain)

    def _distinct(self, plan: Plan) -> Plan:
        if not self._form.distinct:
            return plan
        shown = [name for name in self._form.names if name in plan.columns]
        kept = plan.frame.select(*(plan.columns[name] for name in shown)) if shown else plan.frame.limit(1)
        return Plan(kept.dropDuplicates(), {name: plan.columns[name] for name in shown}, plan.certain)

    def _in_order(self, plan: Plan) -> Plan:
        """The driver puts in order what tasks found to be among the first."""
        form = self._form
        asked = {part.name for key in form.order for part in _variables(key.expression)}
        if asked <= set(form.names):
            plan = self._distinct(plan)
        elif form.distinct:
            raise InputError(
                wanted="ORDER BY variables that SELECT DISTINCT shows",
                found=", ".join(f"?{name}" for name in sorted(asked - set(form.names))),
            )
        most = None if form.limit is None else form.offset + form.limit
        frame = plan.frame
        if most is not None:
            function = first_of(form.order, plan.columns, self._when, most)
            frame = frame.mapInArrow(function, text_columns_of(frame))
        rows = ordered(_collected(frame), form.order, plan.columns, self._when, most).slice(form.offset)
        schema = text_columns_of(frame)
        return Plan(self._spark.createDataFrame(rows, schema), plan.columns, plan.certain)


def _variables(expression: ast.Expression) -> list[Variable]:
    return [part for part in walk(expression) if isinstance(part, Variable)]


def _collected(frame: DataFrame) -> pa.Table:
    rows: pa.Table = frame.limit(MOST_ROWS + 1).toArrow()
    if len(rows) > MOST_ROWS:
        raise LimitExceeded(
            "rows",
            MOST_ROWS,
            subject="an answer at the driver",
            wanted=f"at most {MOST_ROWS:,} rows",
            found="more",
            hint="LIMIT asks for fewer, and Parquet takes any number without ORDER BY",
        )
    return rows


def _limited(frame: DataFrame, limit: int | None) -> DataFrame:
    return frame if limit is None else frame.limit(limit)


def _renamed(plan: Plan, names: Sequence[str]) -> DataFrame:
    """The columns of the answer by the names of their variables."""
    from pyspark.sql import functions as F  # noqa: N812  as everybody names it

    empty = F.lit(None).cast("string")
    cells = [(F.col(plan.columns[name]) if name in plan.columns else empty).alias(name) for name in names]
    renamed: DataFrame = plan.frame.select(*(cells or [empty.alias("unit")]))
    return renamed


def _rows(table: pa.Table) -> list[tuple[str | None, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
