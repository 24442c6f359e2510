"""`triplewire pipeline …`: the matcher inside Spark, over files, streams and history."""

from __future__ import annotations

from typing import Annotated

import typer

from triplewire.cli import pipeline_options as options
from triplewire.cli.invocation import ManyPathsJob
from triplewire.cli.pipeline_history import BACKFILL_EXAMPLES, REPLAY_EXAMPLES, backfill_command, replay_command
from triplewire.cli.pipeline_match import EXAMPLES as MATCH_EXAMPLES
from triplewire.cli.pipeline_match import match_command
from triplewire.cli.pipeline_options import examples
from triplewire.cli.pipeline_running import progress_bar, spark_for
from triplewire.cli.pipeline_upkeep import COMPACT_EXAMPLES, PROFILE_EXAMPLES, compact_command, profile_command
from triplewire.cli.screen import output, plain

app = typer.Typer(
    name="pipeline",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Match over files, streams and history with Spark: on this machine, or on a cluster by --master.",
)

STREAM_EXAMPLES = examples(
    "stream --events incoming/ --subscriptions alerts/ --out lake",
    "stream -e incoming/ -s alerts/ -o lake --name papers --every 1 --drain",
)

app.command("match", cls=ManyPathsJob, epilog=MATCH_EXAMPLES)(match_command)
app.command("backfill", cls=ManyPathsJob, epilog=BACKFILL_EXAMPLES)(backfill_command)
app.command("replay", cls=ManyPathsJob, epilog=REPLAY_EXAMPLES)(replay_command)
app.command("profile", cls=ManyPathsJob, epilog=PROFILE_EXAMPLES)(profile_command)
app.command("compact", cls=ManyPathsJob, epilog=COMPACT_EXAMPLES)(compact_command)


@app.command("stream", cls=ManyPathsJob, epilog=STREAM_EXAMPLES)
def stream_command(
    events: Annotated[str, typer.Option("--events", "-e", metavar="FOLDER", help="A folder or glob to watch.")],
    subscriptions: options.Subscriptions,
    out: options.Out,
    taxonomy: options.Taxonomy = None,
    name: Annotated[str, typer.Option("--name", help="The stream's name: under it, it resumes.")] = "stream",
    every: Annotated[float, typer.Option("--every", min=0.0, help="Seconds between micro-batches.")] = 5.0,
    files_at_once: Annotated[int, typer.Option("--files-at-once", min=1, help="Files a micro-batch.")] = 1_000,
    drain: Annotated[bool, typer.Option("--drain", help="End when nothing new is left.")] = False,
    strict: options.Strict = False,
    append: options.Append = False,
    master: options.Master = None,
    conf: options.Conf = None,
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
    with spark_for(master, conf) as spark:
        done = stream_files(spark, request, progress_bar())
    words = (
        f"{done.batches:,} micro-batches, {done.events:,} events, {done.matches:,} matches, {done.rejects:,} rejects"
    )
    output().print(plain(f"{words}; the lake is {done.lake}"))
