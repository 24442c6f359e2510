"""A box as SQL: the quadruples in it, in the order of points, from the table or by way of an index.

By an index: the graphs in which a term occurs, in their order, and in each graph the quadruples with that term. With
one term that is the order of points already; with a range of terms, or several boxes, SQLite has to sort.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from triplewire.store.space.regions import Point, Region, Side, is_exact

COLUMNS = "gspo"
Statement: TypeAlias = tuple[str, tuple[Any, ...]]


class Query(Struct, frozen=True):
    """What is behind SELECT: `source` is FROM and WHERE, with its parameters."""

    source: str
    parameters: tuple[Any, ...]
    graph: str = "q.g"

    def points(self, limit: int | None) -> Statement:
        """All of it, in the order of points."""
        # Graphs have their order from where they are read first: SQLite sees that it need not sort them again.
        ordered = f"SELECT q.g, q.s, q.p, q.o {self.source} ORDER BY {self.graph}, q.s, q.p, q.o"
        return (ordered, self.parameters) if limit is None else (f"{ordered} LIMIT ?", (*self.parameters, limit))


def query(region: Region, index: str | None = None, after: Point | None = None) -> Query | None:
    """The quadruples in a region behind a point, by the index on a column or without one; None if there are none."""
    if after is not None and after[0] < region[0][0]:
        after = None
    exact = _exact_start(region)
    if after is not None and exact:
        fixed = tuple(lower for lower, _ in region[:exact])
        if after[:exact] > fixed or (exact == len(region) and after >= fixed):
            return None
        after = None if after[:exact] < fixed else after
    conditions, parameters = _conditions(region, index, after)
    if after is not None:
        columns = ", ".join(f"q.{column}" for column in COLUMNS[exact:])
        conditions.append(f"({columns}) > ({', '.join('?' * len(after[exact:]))})")
        parameters += after[exact:]
    tables = "quads q" if index is None else f"by_{index} i CROSS JOIN quads q ON q.g = i.g AND q.{index} = i.{index}"
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    return Query(f"FROM {tables} {where}", tuple(parameters), "q.g" if index is None else "i.g")


def query_any(regions: Sequence[Region], index: str | None, after: Point | None) -> Query:
    """The quadruples in any of several regions, which have one byte string on the same sides and differ only there."""
    first = regions[0]
    exact = [column for column, side in zip(COLUMNS, first, strict=True) if is_exact(side)]
    rows = [[side[0] for column, side in zip(COLUMNS, region, strict=True) if column in exact] for region in regions]
    places = f"({', '.join('?' * len(exact))})"
    listed = f"(VALUES {', '.join([places] * len(rows))}) w"
    # SQLite calls the columns of VALUES column1, column2 and so on.
    wanted = {column: f"w.column{at}" for at, column in enumerate(exact, start=1)}
    if index is not None:
        same_graph = f" AND i.g = {wanted['g']}" if "g" in wanted else ""
        listed += f" CROSS JOIN by_{index} i ON i.{index} = {wanted[index]}{same_graph}"
        wanted["g"] = "i.g"
    joined = " AND ".join(f"q.{column} = {value}" for column, value in wanted.items())
    conditions: list[str] = []
    parameters: list[Any] = [value for row in rows for value in row]
    for column, side in zip(COLUMNS, first, strict=True):
        if column not in exact:
            added, values = _side(f"q.{column}", side)
            conditions += added
            parameters += values
    if after is not None:
        conditions.append("(q.g, q.s, q.p, q.o) > (?, ?, ?, ?)")
        parameters += after
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    return Query(f"FROM {listed} CROSS JOIN quads q ON {joined} {where}", tuple(parameters))


def shape(region: Region) -> tuple[Side | None, ...]:
    """What regions must have in common for `query_any`: None where a side is one byte string, else the side."""
    return tuple(None if is_exact(side) else side for side in region)


def probe(column: str, side: Side, most: int) -> Statement:
    """How many entries an index has for a side; counting ends at `most`."""
    conditions, parameters = _side(f"i.{column}", side)
    return (
        f"SELECT count(*) FROM (SELECT 1 FROM by_{column} i WHERE {' AND '.join(conditions)} LIMIT ?)",
        (*parameters, most),
    )


def _exact_start(region: Region) -> int:
    """How many sides from the first on are one byte string."""
    return next((at for at, side in enumerate(region) if not is_exact(side)), len(region))


def _conditions(region: Region, index: str | None, after: Point | None) -> tuple[list[str], list[Any]]:
    conditions: list[str] = []
    parameters: list[Any] = []
    for column, side in zip(COLUMNS, region, strict=True):
        table = "i" if index is not None and column in ("g", index) else "q"
        if column == "g" and after is not None and not is_exact(side):
            # Where reading goes on is the better lower end; the table has it as a part of the whole point.
            side = (after[0] if index else b"", side[1])
        added, values = _side(f"{table}.{column}", side)
        conditions += added
        parameters += values
    return conditions, parameters


def _side(column: str, side: Side) -> tuple[list[str], list[bytes]]:
    lower, upper = side
    if is_exact(side):
        return [f"{column} = ?"], [lower]
    conditions = [*([f"{column} >= ?"] if lower else []), *([f"{column} < ?"] if upper is not None else [])]
    return conditions, [*([lower] if lower else []), *([upper] if upper is not None else [])]
