"""`triplewire pipeline retain`, `vacuum` and `migrate`: what goes from a lake, and what is carried over."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from triplewire.cli.pipeline import options
from triplewire.cli.pipeline.job import progress_bar, spark_for, storage_in
from triplewire.cli.pipeline.options import examples
from triplewire.cli.screen import output, plain

RETAIN_EXAMPLES = examples("retain --lake lake --older-than 2024-01-01")
VACUUM_EXAMPLES = examples("vacuum --lake lake", "vacuum --lake s3://bucket/lake --keep-hours 24")
MIGRATE_EXAMPLES = examples("migrate --lake lake")


def retain_command(
    lake: options.LakePath,
    older_than: Annotated[datetime, typer.Option("--older-than", help="Events before this time go.")],
    master: options.Master = None,
    remote: options.Remote = None,
    storage_option: options.StorageOptions = None,
    conf: options.Conf = None,
) -> None:
    """Remove events before a time, with their notifications, quads and rejects. `runs` stays."""
    from triplewire.pipeline.jobs.retention import RetainRequest, retain

    request = RetainRequest(lake=lake, older_than=older_than, storage=storage_in(storage_option))
    with spark_for(master, conf, remote) as spark:
        done = retain(spark, request, progress_bar())
    words = ", ".join(f"{count:,} of {table}" for table, count in done.removed.items()) or "nothing was that old"
    output().print(plain(f"removed: {words}"))


def vacuum_command(
    lake: options.LakePath,
    keep_hours: Annotated[
        float, typer.Option("--keep-hours", min=0.0, help="How long what was replaced stays for open readers.")
    ] = 168.0,
    storage_option: options.StorageOptions = None,
) -> None:
    """Remove files that were replaced or left behind, and indexes that no run has used. No run may be that old."""
    from triplewire.pipeline.jobs.retention import VacuumRequest, vacuum

    done = vacuum(VacuumRequest(lake=lake, keep_hours=keep_hours, storage=storage_in(storage_option)))
    output().print(plain(f"{done.files:,} files and {done.indexes:,} indexes were removed"))


def migrate_command(lake: options.LakePath) -> None:
    """Carry a lake of the form before over: its Parquet files become those of Delta tables, where they are."""
    from triplewire.pipeline.lake.migration import migrate
    from triplewire.pipeline.storage.location import Location

    done = migrate(Location.of(lake).absolute())
    if not done.files:
        output().print(plain(f"{lake} has Delta Lake tables already; nothing was done"))
        return
    words = ", ".join(f"{done.rows[table]:,} rows of {table} in {count:,} files" for table, count in done.files.items())
    output().print(plain(f"{lake} has Delta Lake tables now: {done.runs:,} runs, {words}"))
