"""`triplewire pipeline …`: the matcher inside Spark, over files, streams and history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from triplewire.cli.invocation import FAILED, ManyPathsJob
from triplewire.cli.screen import complain, diagnostics, output, plain, show_table
from triplewire.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from triplewire.cli.progress import ProgressBar
    from triplewire.pipeline.lake.tables import Run

app = typer.Typer(
    name="pipeline",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Match over files, streams and history with Spark: on this machine, or on a cluster by --master.",
)

Events = Annotated[
    list[str],
    typer.Option("--events", "-e", metavar="PATH...", help="Files, folders or globs of RDF, plain, .gz or .zst."),
]
Subscriptions = Annotated[
    list[str], typer.Option("--subscriptions", "-s", metavar="PATH...", help="Files or folders of subscriptions.")
]
Taxonomy = Annotated[str | None, typer.Option("--taxonomy", "-t", metavar="PATH", help="An RDFS hierarchy.")]
Out = Annotated[str, typer.Option("--out", "-o", metavar="LAKE", help="The lake's folder.")]
LakePath = Annotated[str, typer.Option("--lake", "-l", metavar="LAKE", help="An event lake.")]
Strategy = Annotated[str, typer.Option("--strategy", help="replicate, osma, csma or auto.")]
Strict = Annotated[bool, typer.Option("--strict", help="Fail on bad input instead of keeping it in `rejects`.")]
Append = Annotated[bool, typer.Option("--append", help="Add to a lake that holds other runs.")]
RunId = Annotated[str | None, typer.Option("--run-id", help="Name the run. A run that the lake has is not run again.")]
Master = Annotated[str | None, typer.Option("--master", help="Where Spark runs, as spark://HOST:PORT. [local[*]]")]
Conf = Annotated[list[str] | None, typer.Option("--conf", metavar="KEY=VALUE", help="A setting for Spark.")]


class Job(ManyPathsJob):
    """Options that take several values, and no option of Spark's among them."""


@app.command("match", cls=Job)
def match_command(
    events: Events,
    subscriptions: Subscriptions,
    out: Out,
    taxonomy: Taxonomy = None,
    strategy: Strategy = "replicate",
    quads: Annotated[bool, typer.Option("--quads", help="Also fill the table `quads`.")] = False,
    strict: Strict = False,
    append: Append = False,
    run_id: RunId = None,
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Match files of events against subscriptions, and write the lake: all of it, or nothing.

    A folder that holds another run's data is refused, unless --append is given.
    """
    from triplewire.pipeline.jobs.compacting import CompactRequest, compact
    from triplewire.pipeline.jobs.matching import MatchRequest, match_files

    request = MatchRequest(
        events=tuple(events),
        subscriptions=tuple(subscriptions),
        out=out,
        taxonomy=taxonomy,
        strategy=strategy,
        strict=strict,
        append=append,
        run_id=run_id,
    )
    with _spark(master, conf) as spark:
        outcome = match_files(spark, request, _bar())
        if quads:
            compact(spark, CompactRequest(lake=out, tables=("quads",)))
    if outcome.repeated:
        diagnostics().print(plain(f"run {outcome.run.run} is in the lake already; nothing was done"))
    _show_run(outcome.run, outcome.lake)
    _warn(outcome.run, outcome.quarantined)


@app.command("stream", cls=Job)
def stream_command(
    events: Annotated[str, typer.Option("--events", "-e", metavar="FOLDER", help="A folder or glob to watch.")],
    subscriptions: Subscriptions,
    out: Out,
    taxonomy: Taxonomy = None,
    name: Annotated[str, typer.Option("--name", help="The stream's name: under it, it resumes.")] = "stream",
    every: Annotated[float, typer.Option("--every", min=0.0, help="Seconds between micro-batches.")] = 5.0,
    files_at_once: Annotated[int, typer.Option("--files-at-once", min=1, help="Files a micro-batch.")] = 1_000,
    drain: Annotated[bool, typer.Option("--drain", help="End when nothing new is left.")] = False,
    strict: Strict = False,
    append: Append = False,
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Match files as they arrive, exactly once into the lake. Ctrl-C stops; the same call resumes.

    Files must appear whole: write them under another name, or one that begins with a dot, and rename them.
    Subscriptions that change take effect with the next micro-batch.
    """
    from triplewire.pipeline.jobs.streaming import StreamRequest, stream_files

    request = StreamRequest(
        events=events,
        subscriptions=tuple(subscriptions),
        out=out,
        taxonomy=taxonomy,
        name=name,
        every_seconds=every,
        files_at_once=files_at_once,
        drain=drain,
        strict=strict,
        append=append,
    )
    with _spark(master, conf) as spark:
        done = stream_files(spark, request, _bar())
    words = (
        f"{done.batches:,} micro-batches, {done.events:,} events, {done.matches:,} matches, {done.rejects:,} rejects"
    )
    output().print(plain(f"{words}; the lake is {done.lake}"))


@app.command("backfill", cls=Job)
def backfill_command(
    lake: LakePath,
    subscriptions: Subscriptions,
    taxonomy: Taxonomy = None,
    strict: Strict = False,
    run_id: RunId = None,
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Run new subscriptions over the lake's history, and add the notifications that it does not have yet."""
    from triplewire.pipeline.jobs.history import BackfillRequest, backfill

    request = BackfillRequest(
        lake=lake, subscriptions=tuple(subscriptions), taxonomy=taxonomy, strict=strict, run_id=run_id
    )
    with _spark(master, conf) as spark:
        outcome = backfill(spark, request)
    _show_run(outcome.run, outcome.lake)
    _warn(outcome.run, outcome.quarantined)


@app.command("replay", cls=Job)
def replay_command(
    lake: LakePath,
    out: Out,
    subscriptions: Annotated[
        list[str] | None, typer.Option("--subscriptions", "-s", metavar="PATH...", help="Other subscriptions.")
    ] = None,
    taxonomy: Taxonomy = None,
    index: Annotated[
        str | None, typer.Option("--index", help="An index version that a run of the lake has used.")
    ] = None,
    since: Annotated[datetime | None, typer.Option("--since", help="Events from this time on.")] = None,
    until: Annotated[datetime | None, typer.Option("--until", help="Events before this time.")] = None,
    strict: Strict = False,
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Show what would have fired, under other subscriptions or an index of the past, into another lake."""
    from triplewire.pipeline.jobs.history import ReplayRequest, replay

    request = ReplayRequest(
        lake=lake,
        out=out,
        subscriptions=tuple(subscriptions or ()),
        taxonomy=taxonomy,
        index=index,
        since=since,
        until=until,
        strict=strict,
    )
    with _spark(master, conf) as spark:
        outcome = replay(spark, request)
    _show_run(outcome.run, outcome.lake)
    _warn(outcome.run, outcome.quarantined)


@app.command("profile", cls=Job)
def profile_command(
    out: Annotated[str, typer.Option("--out", "-o", metavar="FOLDER", help="Where the report goes.")],
    events: Annotated[
        list[str] | None, typer.Option("--events", "-e", metavar="PATH...", help="Files, folders or globs of RDF.")
    ] = None,
    lake: Annotated[str | None, typer.Option("--lake", "-l", metavar="LAKE", help="Or the events of a lake.")] = None,
    by: Annotated[str, typer.Option("--by", help="What a source is: file, folder or all.")] = "all",
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Report classes, properties, values and intervals by source, with the advertisements that say so and a picture."""
    from triplewire.pipeline.jobs.profiling import ProfileRequest, profile

    request = ProfileRequest(out=out, events=tuple(events or ()), lake=lake, by=by)
    with _spark(master, conf) as spark:
        report = profile(spark, request)
    rows = [(p.source, p.name, f"{p.quads:,}", f"{p.distinct:,}", p.interval or "") for p in report.properties]
    show_table(("source", "property", "quads", "values", "interval"), rows[:50])
    output().print(plain(f"{report.events:,} events; advertisements, report and picture are in {out}"))


@app.command("compact", cls=Job)
def compact_command(
    lake: LakePath,
    tables: Annotated[
        list[str] | None, typer.Option("--table", metavar="TABLE...", help="events, quads, notifications, rejects.")
    ] = None,
    master: Master = None,
    conf: Conf = None,
) -> None:
    """Rewrite the lake's small files as few large ones, drop repeated rows, and bring `quads` up to date."""
    from triplewire.pipeline.jobs.compacting import COMPACTED, CompactRequest, compact

    with _spark(master, conf) as spark:
        done = compact(spark, CompactRequest(lake=lake, tables=tuple(tables or COMPACTED)))
    rows = [(d.table, f"{d.files_before:,}", f"{d.files_after:,}", f"{d.rows:,}") for d in done]
    show_table(("table", "files before", "files now", "rows"), rows)


@contextmanager
def _spark(master: str | None, conf: list[str] | None) -> Iterator[SparkSession]:
    from triplewire.pipeline.session import SessionSettings, spark_session

    settings = SessionSettings(master=master, conf=dict(map(_setting, conf or ())))
    with spark_session(settings) as spark:
        yield spark


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise InputError(f"--conf wants KEY=VALUE, found {text!r}")
    return key.strip(), value


def _bar() -> ProgressBar:
    from triplewire.cli.progress import ProgressBar

    return ProgressBar()


def _show_run(run: Run, lake: str) -> None:
    seconds = max((run.finished - run.started).total_seconds(), 1e-9)
    rows = [
        ("run", run.run),
        ("events", f"{run.events:,}"),
        ("subscriptions", f"{run.subscriptions:,}"),
        ("notifications", f"{run.matches:,}"),
        ("rejects", f"{run.rejects:,}"),
        ("seconds", f"{seconds:,.1f}"),
        ("events a second", f"{run.events / seconds:,.0f}"),
        ("index", run.index or ""),
        ("lake", str(Path(lake))),
    ]
    show_table(("", ""), rows)


def _warn(run: Run, quarantined: dict[str, str]) -> None:
    for name, why in list(quarantined.items())[:20]:
        complain(f"subscription {name} is quarantined, its notifications are incomplete: {why}")
    if run.rejects:
        diagnostics().print(
            plain(f"{run.rejects:,} rejected: the table `rejects` of the lake says what, where and why")
        )
    if quarantined:
        raise typer.Exit(FAILED)
