"""`triplewire pipeline report`: what the subscriptions of a lake have done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from triplewire.cli.pipeline import options
from triplewire.cli.pipeline.job import progress_bar, spark_for, storage_in
from triplewire.cli.pipeline.options import examples
from triplewire.cli.screen import diagnostics, output, plain, show_table, write_json

if TYPE_CHECKING:
    from triplewire.pipeline.jobs.questions.reporting import Report

EXAMPLES = examples(
    "report --lake lake --picture report.png",
    "report -l lake --subscriptions alerts/ --since 2024-05-01 --json",
)


def report_command(
    lake: options.LakePath,
    subscriptions: Annotated[
        list[str] | None,
        typer.Option(
            "--subscriptions",
            "-s",
            metavar="PATH...",
            parser=options.path_text,
            help="To say which are silent or dear.",
        ),
    ] = None,
    taxonomy: options.Taxonomy = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", parser=options.path_value, help="Draw it: .png, .svg or .pdf."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All of it as one JSON object.")] = False,
    most: Annotated[int, typer.Option("--most", min=1, help="How many rows of each table.")] = 20,
    since: options.Since = None,
    until: options.Until = None,
    as_of: options.AsOf = None,
    master: options.Master = None,
    remote: options.Remote = None,
    storage_option: options.StorageOptions = None,
    conf: options.Conf = None,
) -> None:
    """Report which subscriptions fire, how often, when and together with which.

    With --subscriptions also which are silent, and what each costs.
    """
    from triplewire.pipeline.jobs.questions.report_picture import draw, require_picture
    from triplewire.pipeline.jobs.questions.reporting import ReportRequest, report

    if picture is not None:
        require_picture(picture)
    request = ReportRequest(
        lake=lake,
        subscriptions=tuple(subscriptions or ()),
        taxonomy=taxonomy,
        since=since,
        until=until,
        as_of=as_of,
        storage=storage_in(storage_option),
        most=most,
    )
    with spark_for(master, conf, remote) as spark:
        found = report(spark, request, progress_bar())
    if picture is not None:
        draw(found, picture)
    if as_json:
        write_json([msgspec.to_builtins(found)])
    else:
        _show(found, most)
    if picture is not None:
        diagnostics().print(plain(f"the picture is {picture}"))


def _show(found: Report, most: int) -> None:
    output().print(
        plain(
            f"{found.events:,} events, {found.matched:,} of them matched, {found.notifications:,} notifications "
            f"of {len(found.fired):,} subscriptions"
        )
    )
    show_table(
        ("subscription", "events", "share", "solutions", "lane", "first", "last"),
        [
            (
                row.subscription,
                f"{row.events:,}",
                f"{row.events / found.events:.1%}",
                f"{row.solutions:,}",
                ", ".join(row.lanes),
                f"{row.first:%Y-%m-%d %H:%M}",
                f"{row.last:%Y-%m-%d %H:%M}",
            )
            for row in found.fired[:most]
        ],
    )
    pairs = [(row.first, row.second, f"{row.events:,}", f"{row.share:.1%}") for row in found.together[:most]]
    show_table(("together", "with", "events", "share"), pairs)
    times = [
        (f"{b.start:%Y-%m-%d %H:%M:%S}", f"{b.events:,}", f"{b.matched:,}", f"{b.notifications:,}")
        for b in found.over_time
    ]
    show_table(("from", "events", "matched", "notifications"), times)
    _show_named(found, most)


def _show_named(found: Report, most: int) -> None:
    if found.costs is None or found.silent is None:
        return
    costs = [
        (c.subscription, c.lane, "no" if c.unindexed else "yes", f"{c.candidates:,}", f"{c.matches:,}")
        for c in found.costs[:most]
    ]
    show_table(("dearest", "lane", "indexed", f"candidates in {found.sample:,} events", "matches"), costs)
    more = f", and {len(found.silent) - most:,} more" if len(found.silent) > most else ""
    names = ", ".join(found.silent[:most]) or "none"
    output().print(plain(f"{len(found.silent):,} silent: {names}{more}"))
