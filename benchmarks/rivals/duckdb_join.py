"""DuckDB: subscriptions as tables, a batch of events as another, and one join for each shape of subscription.

Subscriptions that differ only in their constants have one shape. They are the rows of one table, a column for each
constant, and one SQL statement matches them all: every pattern is a join with the quads, by equality of what is
constant or shared, then by ranges. Where a pattern has two constants it is joined first, and what it leaves is
materialised: left alone, the optimiser joins quads with quads first, which is slower. The quads of a batch are read by
Arrow's CSV reader, several times faster than a regular expression and the lists that DuckDB would be given then. It
drops quotation marks, so a plain literal that is spelled like an IRI would be taken for one; the workloads have none.

The taxonomy is a table of all pairs (node, ancestor), joined with each batch's rdf:type quads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import duckdb
import pyarrow as pa
import pyarrow.csv
from msgspec import Struct

from benchmarks.rivals.ancestry import TYPE, Parents, parents_in
from benchmarks.rivals.publications import Found
from benchmarks.rivals.reading import Check, Compared, Contains, Pattern, Standing, Under, is_variable, read
from triplewire import Subscription, Taxonomy

_COLUMNS = ["s", "p", "o", "g"]
_READ = pa.csv.ReadOptions(column_names=[*_COLUMNS, "end"], use_threads=False)
_PARSE = pa.csv.ParseOptions(delimiter=" ", quote_char='"', escape_char="\\")
_CONVERT = pa.csv.ConvertOptions(include_columns=_COLUMNS, column_types=dict.fromkeys(_COLUMNS, pa.string()))

_LOAD = """
CREATE OR REPLACE TEMP TABLE quads AS
SELECT s, p, o, g,
    CASE WHEN ends_with(o, '#integer>') OR ends_with(o, '#decimal>') OR ends_with(o, '#double>')
         THEN TRY_CAST(split_part(o, '^^<', 1) AS DOUBLE) END AS n
FROM batch"""
_CLASSIFY = f"""
CREATE OR REPLACE TEMP TABLE isa AS
SELECT q.g, q.s AS node, a.cls FROM quads q JOIN above a ON a.node = q.o WHERE q.p = '{TYPE}'
UNION SELECT q.g, q.s, q.o FROM quads q WHERE q.p = '{TYPE}'
UNION SELECT q.g, q.s, a.cls FROM quads q JOIN above a ON a.node = q.s
UNION SELECT q.g, q.o, a.cls FROM quads q JOIN above a ON a.node = q.o"""


class Shape(Struct):
    """Subscriptions that one statement matches, and the constants of each."""

    sql: str
    columns: list[str]
    rows: list[tuple[str | float, ...]]


class DuckDB:
    """One table and one statement a shape, one thread."""

    name = "DuckDB join"
    batch = 1_000

    def __init__(self) -> None:
        self._database = duckdb.connect(":memory:", config={"threads": 1})
        self._statements: list[str] = []
        self._asks_classes = False

    def build(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None = None) -> None:
        shapes: dict[tuple[object, ...], Shape] = {}
        for subscription in map(read, subscriptions):
            key = _key(subscription)
            if key not in shapes:
                shapes[key] = _shape(f"shape{len(shapes)}", subscription)
            shapes[key].rows.append(_constants(subscription))
            self._asks_classes |= any(isinstance(check, Under) for check in subscription.checks)
        for number, shape in enumerate(shapes.values()):
            self._store(f"shape{number}", shape)
        self._store_taxonomy(parents_in(taxonomy))

    def match(self, data: bytes) -> Found:
        batch = pa.csv.read_csv(pa.BufferReader(data), _READ, _PARSE, _CONVERT)
        self._database.register("batch", batch)
        self._database.execute(_LOAD)
        if self._asks_classes:
            self._database.execute(_CLASSIFY)
        return {
            (graph[1:-1], name) for sql in self._statements for graph, name in self._database.execute(sql).fetchall()
        }

    def _store(self, table: str, shape: Shape) -> None:
        columns = [pa.array(column) for column in zip(*shape.rows, strict=True)]
        self._create(table, pa.table(columns, names=shape.columns))
        self._statements.append(shape.sql)

    def _store_taxonomy(self, parents: Parents) -> None:
        pairs = [(node, cls) for node in parents for cls in _above(node, parents)]
        nodes, classes = [node for node, _ in pairs], [cls for _, cls in pairs]
        self._create("above", pa.table({"node": pa.array(nodes, pa.string()), "cls": pa.array(classes, pa.string())}))

    def _create(self, table: str, content: pa.Table) -> None:
        self._database.register("content", content)
        self._database.execute(f"CREATE TABLE {table} AS SELECT * FROM content")
        self._database.unregister("content")


def _key(subscription: Standing) -> tuple[object, ...]:
    patterns = tuple(tuple(t if is_variable(t) else "" for t in pattern) for pattern in _ordered(subscription))
    checks = tuple(
        (type(c), c.variable, c.comparator if isinstance(c, Compared) else None) for c in subscription.checks
    )
    return patterns, checks


def _constants(subscription: Standing) -> tuple[str | float, ...]:
    terms = [_unquoted(t) for pattern in _ordered(subscription) for t in pattern if not is_variable(t)]
    operands = [operand for check in subscription.checks if (operand := _operand(check)) is not None]
    return subscription.id, *terms, *operands


def _operand(check: Check) -> str | float | None:
    if isinstance(check, Compared):
        return check.number
    if isinstance(check, Contains):
        return check.text
    return check.cls if isinstance(check, Under) else None


def _unquoted(term: str) -> str:
    """A literal as the CSV reader leaves it."""
    if term[0] != '"':
        return term
    text, _, rest = term[1:].rpartition('"')
    return text + rest


class _Statement:
    """Writes the SQL of one shape: parameters are columns of its table `t`, each pattern is a row `q…` of quads."""

    def __init__(self) -> None:
        self.columns = ["id"]
        self.tables: list[str] = []
        self.where: list[str] = []
        self._places: dict[str, str] = {}

    def add(self, number: int, pattern: Sequence[str]) -> None:
        self.tables.append(f"quads q{number}")
        if number:
            self.where.append(f"q{number}.g = q0.g")
        for place, term in zip("spo", pattern, strict=True):
            here = f"q{number}.{place}"
            if not is_variable(term):
                self.where.append(f"{here} = {self._parameter()}")
            elif self._places.setdefault(term, here) != here:
                self.where.append(f"{here} = {self._places[term]}")

    def check(self, check: Check) -> None:
        place = self._places[check.variable]
        if isinstance(check, Compared):
            number = f"{place[:-1]}n"
            comparator = "<>" if check.comparator.value == "!=" else check.comparator.value
            self.where.append(f"{number} {comparator} {self._parameter()}")
        elif isinstance(check, Contains):
            text = f"NOT starts_with({place}, '<') AND NOT contains({place}, '^^<')"
            self.where.append(f"{text} AND contains({place}, {self._parameter()})")
        elif isinstance(check, Under):
            pair = f"i{len(self.tables)}"
            self.tables.append(f"isa {pair}")
            self.where.append(f"{pair}.g = q0.g AND {pair}.node = {place} AND {pair}.cls = {self._parameter()}")
        else:
            self.where.append(f"ends_with({place}, '#integer>') AND {place[:-1]}n IS NOT NULL")

    def _parameter(self) -> str:
        self.columns.append(f"c{len(self.columns)}")
        return f"t.{self.columns[-1]}"


def _shape(table: str, subscription: Standing) -> Shape:
    patterns = _ordered(subscription)
    statement = _Statement()
    statement.add(0, patterns[0])
    first = len(statement.where)
    for number, pattern in enumerate(patterns[1:], 1):
        statement.add(number, pattern)
    for check in subscription.checks:
        statement.check(check)
    write = _staged if _constant_count(patterns[0]) > 1 and len(patterns) > 1 else _plain
    return Shape(write(table, statement, first), statement.columns, [])


def _plain(table: str, statement: _Statement, first: int) -> str:
    tables = ", ".join([f"{table} t", *statement.tables])
    return f"SELECT DISTINCT q0.g, t.id FROM {tables} WHERE {' AND '.join(statement.where)}"


def _staged(table: str, statement: _Statement, first: int) -> str:
    """The first pattern's rows become part of `t`, so that the rest finds its columns there."""
    rest = " AND ".join(statement.where[first:])
    columns = ", ".join(f"q0.{name}" for name in "gspon" if f"q0.{name}" in rest)
    hits = f"SELECT t.*, {columns} FROM {table} t, quads q0 WHERE {' AND '.join(statement.where[:first])}"
    tables = ", ".join(["hits t", *statement.tables[1:]])
    match = f"SELECT DISTINCT t.g, t.id FROM {tables} WHERE {rest.replace('q0.', 't.')}"
    return f"WITH hits AS MATERIALIZED ({hits}) {match}"


def _ordered(subscription: Standing) -> list[Pattern]:
    """The pattern with most constants comes first."""
    return sorted(subscription.patterns, key=_constant_count, reverse=True)


def _constant_count(pattern: Pattern) -> int:
    return sum(not is_variable(term) for term in pattern)


def _above(node: str, parents: Parents) -> set[str]:
    above: set[str] = set()
    waiting = list(parents.get(node, ()))
    while waiting:
        cls = waiting.pop()
        if cls not in above:
            above.add(cls)
            waiting.extend(parents.get(cls, ()))
    return above
