"""Solutions as rows of a DataFrame: a column a variable, terms in N-Triples spelling, null where it is unbound.

No two plans share the name of a column, so that any two can be joined. Variables whose binding is certain on both sides
are joined by equality; where one may be unbound, the condition says what the standard says of compatible solutions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from itertools import count
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

Names = frozenset[str]
_UNIT = "unit"


class Plan(Struct, frozen=True):
    """Rows of solutions. `columns` leads from a variable to its column; those that are `certain` are bound in each."""

    frame: Any
    columns: Mapping[str, str]
    certain: Names


class Plans:
    """Makes plans from plans, for one query."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._numbers = count()

    def fresh(self) -> str:
        """A name for a column that no other has."""
        return f"c{next(self._numbers)}"

    # Leaves

    def of_columns(self, frame: DataFrame, columns: Mapping[str, Column], certain: Iterable[str]) -> Plan:
        """A plan whose variables are these columns of a frame."""
        names = {variable: self.fresh() for variable in columns}
        selected = [column.alias(names[variable]) for variable, column in columns.items()]
        return Plan(frame.select(*(selected or [_unit()])), names, frozenset(certain))

    def of_rows(self, variables: tuple[str, ...], rows: Iterable[tuple[str | None, ...]]) -> Plan:
        """A plan of solutions that are written down."""
        names = {variable: self.fresh() for variable in variables}
        schema = ", ".join([f"{_UNIT} boolean", *(f"{name} string" for name in names.values())])
        table = [(True, *row) for row in rows]
        certain = [variable for at, variable in enumerate(variables, 1) if all(row[at] is not None for row in table)]
        return Plan(self._spark.createDataFrame(table, schema), names, frozenset(certain))

    # Joins

    def joined(self, left: Plan, right: Plan) -> Plan:
        """Compatible pairs."""
        return self._pairs(left, right, {})[0]

    def _pairs(self, left: Plan, right: Plan, kept: Mapping[str, str]) -> tuple[Plan, dict[str, str]]:
        """Compatible pairs, and beside them columns of the left side, by the names that they get."""
        from pyspark.sql import functions as F  # noqa: N812  as everybody names it

        condition = _all(_compatible(left, right))
        frame = left.frame.crossJoin(right.frame) if condition is None else left.frame.join(right.frame, condition)
        columns = {}
        for name in (*left.columns, *(name for name in right.columns if name not in left.columns)):
            sides = [F.col(side.columns[name]) for side in (left, right) if name in side.columns]
            columns[name] = sides[0] if name in left.certain else F.coalesce(*sides)
        names = {name: self.fresh() for name in columns}
        beside = {name: self.fresh() for name in kept}
        selected = [column.alias(names[name]) for name, column in columns.items()]
        selected += [F.col(kept[name]).alias(beside[name]) for name in kept]
        return Plan(frame.select(*(selected or [_unit()])), names, left.certain | right.certain), beside

    def left_joined(self, left: Plan, right: Plan) -> Plan:
        """OPTIONAL without a condition, where every shared variable is certain."""
        from pyspark.sql import functions as F  # noqa: N812

        condition = _all(_compatible(left, right))
        joined = left.frame.join(right.frame, F.lit(col=True) if condition is None else condition, "left")
        columns = {**right.columns, **left.columns}
        names = {name: self.fresh() for name in columns}
        selected = [F.col(columns[name]).alias(names[name]) for name in columns]
        return Plan(joined.select(*(selected or [_unit()])), names, left.certain)

    def pairs_beside(self, left: Plan, right: Plan) -> tuple[Plan, dict[str, str]]:
        """Compatible pairs, and the columns in which they still have the left side as it was, by variable."""
        return self._pairs(left, right, left.columns)

    def without(self, left: Plan, right: Plan) -> Plan:
        """MINUS: what no compatible solution on the right shares a binding with."""
        shared = [name for name in left.columns if name in right.columns]
        if not shared:
            return left
        sharing = reduce(lambda a, b: a | b, [_both_bound(left, right, name) for name in shared])
        certain = any(name in left.certain & right.certain for name in shared)
        tests = _compatible(left, right) if certain else [*_compatible(left, right), sharing]
        return Plan(left.frame.join(right.frame, _all(tests), "left_anti"), left.columns, left.certain)

    def having(self, left: Plan, right: Plan, *, wanted: bool) -> Plan:
        """EXISTS and NOT EXISTS: what has a compatible solution on the right, or has none."""
        from pyspark.sql import functions as F  # noqa: N812

        condition = _all(_compatible(left, right))
        how = "left_semi" if wanted else "left_anti"
        frame = left.frame.join(right.frame, F.lit(col=True) if condition is None else condition, how)
        return Plan(frame, left.columns, left.certain)

    def unmatched(self, left: Plan, matched: DataFrame, beside: Mapping[str, str]) -> Plan:
        """The solutions on the left that are not among those that were matched. Equal solutions have equal fates."""
        tests = _all(left.frame[left.columns[name]].eqNullSafe(matched[beside[name]]) for name in beside)
        if tests is None:
            from pyspark.sql import functions as F  # noqa: N812

            tests = F.lit(col=True)
        return Plan(left.frame.join(matched, tests, "left_anti"), left.columns, left.certain)

    # All the rest

    def union(self, branches: Iterable[Plan]) -> Plan:
        """All solutions of all branches."""
        from pyspark.sql import functions as F  # noqa: N812

        plans = list(branches)
        variables = list(dict.fromkeys(name for plan in plans for name in plan.columns))
        names = {name: self.fresh() for name in variables}
        frames = []
        for plan in plans:
            cells = {name: F.col(plan.columns[name]) for name in variables if name in plan.columns}
            empty = F.lit(None).cast("string")
            selected = [cells.get(name, empty).alias(names[name]) for name in variables]
            frames.append(plan.frame.select(*(selected or [_unit()])))
        certain = frozenset.intersection(*(plan.certain for plan in plans))
        return Plan(reduce(lambda a, b: a.unionByName(b), frames), names, certain)

    def projected(self, plan: Plan, variables: Iterable[str]) -> Plan:
        """Only these variables."""
        from pyspark.sql import functions as F  # noqa: N812

        kept = {name: F.col(plan.columns[name]) for name in variables if name in plan.columns}
        return self.of_columns(plan.frame, kept, plan.certain.intersection(kept))

    def distinct(self, plan: Plan) -> Plan:
        """Each solution once."""
        kept = self.projected(plan, plan.columns)
        return Plan(kept.frame.dropDuplicates(), kept.columns, kept.certain)

    def is_equality_join(self, left: Plan, right: Plan) -> bool:
        """Whether all that the two share is certain on both sides."""
        return all(name in left.certain & right.certain for name in left.columns if name in right.columns)


def _unit() -> Column:
    """A column for solutions that bind nothing."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.lit(col=True).alias(_UNIT)


def _compatible(left: Plan, right: Plan) -> list[Column]:
    from pyspark.sql import functions as F  # noqa: N812

    tests = []
    for name in left.columns:
        if name in right.columns:
            a, b = F.col(left.columns[name]), F.col(right.columns[name])
            same = a == b
            tests.append(same if name in left.certain & right.certain else a.isNull() | b.isNull() | same)
    return tests


def _both_bound(left: Plan, right: Plan, name: str) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return F.col(left.columns[name]).isNotNull() & F.col(right.columns[name]).isNotNull()


def _all(tests: Iterable[Column]) -> Column | None:
    found = list(tests)
    return reduce(lambda a, b: a & b, found) if found else None
