"""What a lake on an object storage holds, read by what knows nothing of Triplewire: deltalake, and DuckDB over it."""

from __future__ import annotations

import duckdb
from deltalake import DeltaTable

from triplewire.pipeline.storage.delta import delta_options
from triplewire.pipeline.storage.location import Location


def table_of(lake: str, table: str, options: dict[str, str]) -> DeltaTable:
    return DeltaTable(f"{lake}/{table}", storage_options=delta_options(Location.of(lake, options)))


def rows_of(lake: str, table: str, options: dict[str, str], columns: str = "*") -> list[tuple]:
    # A connection of its own: readers may be threads.
    with duckdb.connect() as connection:
        connection.register("these", table_of(lake, table, options).to_pyarrow_dataset())
        return connection.sql(f"select {columns} from these order by all").fetchall()


def complete_rows(lake: str, table: str, options: dict[str, str], columns: str) -> list[tuple]:
    """Only rows of commits that `runs` has, as docs/pipeline.md tells a reader who wants one state."""
    same = "these.run = runs.run and (these.batch is null or these.batch = runs.batch)"
    with duckdb.connect() as connection:
        connection.register("runs", table_of(lake, "runs", options).to_pyarrow_dataset())
        connection.register("these", table_of(lake, table, options).to_pyarrow_dataset())
        return connection.sql(f"select {columns} from these semi join runs on {same} order by all").fetchall()
