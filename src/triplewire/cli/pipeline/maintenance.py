"""`triplewire pipeline profile` and `compact`: look at what is published, and keep a lake in shape."""

from __future__ import annotations

from typing import Annotated

import typer

from triplewire.cli.pipeline import options
from triplewire.cli.pipeline.job import progress_bar, spark_for, storage_in
from triplewire.cli.pipeline.options import examples
from triplewire.cli.screen import diagnostics, output, plain, show_table

PROFILE_EXAMPLES = examples(
    "profile --events 'feed/*.nq' --out report",
    "profile --lake lake --by file --out report",
)
COMPACT_EXAMPLES = examples(
    "compact --lake lake",
    "compact --lake lake --table notifications rejects",
)
_MOST_ROWS = 50


def profile_command(
    out: options.Report,
    events: options.MaybeEvents = None,
    lake: options.MaybeLake = None,
    by: Annotated[str, typer.Option("--by", help="What a source is: file, folder or all.")] = "all",
    as_of: options.AsOf = None,
    master: options.Master = None,
    remote: options.Remote = None,
    storage_option: options.StorageOptions = None,
    conf: options.Conf = None,
) -> None:
    """Report classes, properties, values and intervals by source, with the advertisements that say so and a picture."""
    from triplewire.pipeline.jobs.profiling import ProfileRequest, profile

    request = ProfileRequest(
        out=out, events=tuple(events or ()), lake=lake, by=by, as_of=as_of, storage=storage_in(storage_option)
    )
    with spark_for(master, conf, remote) as spark:
        report = profile(spark, request, progress_bar())
    rows = [(p.source, p.name, f"{p.quads:,}", f"{p.distinct:,}", p.interval or "") for p in report.properties]
    show_table(("source", "property", "quads", "values", "interval"), rows[:_MOST_ROWS])
    output().print(plain(f"{report.events:,} events; advertisements, report and picture are in {out}"))


def compact_command(
    lake: options.LakePath,
    tables: Annotated[
        list[str] | None, typer.Option("--table", metavar="TABLE...", help="events, quads, notifications, rejects.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="All of the tables, not only what is new.")] = False,
    master: options.Master = None,
    remote: options.Remote = None,
    storage_option: options.StorageOptions = None,
    conf: options.Conf = None,
) -> None:
    """Rewrite the lake's small files as few large ones, drop repeated rows, and bring `quads` up to date.

    An event that was published again with another content stays as it was first; the others go to `rejects`.
    """
    from triplewire.pipeline.jobs.compaction import COMPACTED, CompactRequest, compact

    with spark_for(master, conf, remote) as spark:
        request = CompactRequest(
            lake=lake, tables=tuple(tables or COMPACTED), full=full, storage=storage_in(storage_option)
        )
        done = compact(spark, request, progress_bar())
    rows = [(d.table, f"{d.files_before:,}", f"{d.files_after:,}", f"{d.rows:,}") for d in done.tables]
    show_table(("table", "files before", "files now", "rows"), rows)
    if done.conflicts:
        message = (
            f"{done.conflicts:,} events came again with another content: the table `rejects` says which, and from where"
        )
        diagnostics().print(plain(message))
