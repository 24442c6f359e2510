"""What a lake on an object storage holds, read by what knows nothing of Triplewire: deltalake, and DuckDB over it."""

from __future__ import annotations

import duckdb
from deltalake import DeltaTable

from triplewire.pipeline.storage.delta import delta_options
from triplewire.pipeline.storage.location import Location


def table_of(lake: str, table: str, options: dict[str, str]) -> DeltaTable:
    return DeltaTable(f"{lake}/{table}", storage_options=delta_options(Location.of(lake, options)))


def rows_of(lake: str, table: str, options: dict[str, str], columns: str = "*") -> list[tuple]:
    rows = table_of(lake, table, options).to_pyarrow_dataset()  # noqa: F841  DuckDB finds it by its name
    return duckdb.sql(f"select {columns} from rows order by all").fetchall()


def complete_rows(lake: str, table: str, options: dict[str, str], columns: str) -> list[tuple]:
    """Only rows of commits that `runs` has, as docs/pipeline.md tells a reader who wants one state."""
    runs = table_of(lake, "runs", options).to_pyarrow_dataset()  # noqa: F841
    rows = table_of(lake, table, options).to_pyarrow_dataset()  # noqa: F841
    same = "rows.run = runs.run and (rows.batch is null or rows.batch = runs.batch)"
    return duckdb.sql(f"select {columns} from rows semi join runs on {same} order by all").fetchall()
