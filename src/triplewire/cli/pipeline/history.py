"""`triplewire pipeline backfill` and `replay`: subscriptions over events that a lake has already."""

from __future__ import annotations

from typing import Annotated

import typer

from triplewire.cli.pipeline import options
from triplewire.cli.pipeline.job import progress_bar, show_outcome, spark_for, storage_in
from triplewire.cli.pipeline.options import examples

BACKFILL_EXAMPLES = examples(
    "backfill --lake lake --subscriptions new-alerts.jsonl",
    "backfill -l lake -s new-alerts/ --taxonomy classes.ttl --run-id new-alerts",
)
REPLAY_EXAMPLES = examples(
    "replay --lake lake --subscriptions drafts/ --out what-if",
    "replay -l lake --index 6b86b273ff34fce1 -o what-if --since 2024-05-01 --until 2024-06-01",
)


def backfill_command(
    lake: options.LakePath,
    subscriptions: options.Subscriptions,
    taxonomy: options.Taxonomy = None,
    strict: options.Strict = False,
    run_id: options.RunId = None,
    master: options.Master = None,
    remote: options.Remote = None,
    storage_option: options.StorageOptions = None,
    conf: options.Conf = None,
) -> None:
    """Run new subscriptions over the lake's history, and add the notifications that it does not have yet."""
    from triplewire.pipeline.jobs.history import BackfillRequest, backfill

    request = BackfillRequest(
        lake=lake,
        subscriptions=tuple(subscriptions),
        taxonomy=taxonomy,
        strict=strict,
        run_id=run_id,
        storage=storage_in(storage_option),
    )
    with spark_for(master, conf, remote) as spark:
        outcome = backfill(spark, request, progress_bar())
    show_outcome(outcome)


def replay_command(
    lake: options.LakePath,
    out: options.Out,
    subscriptions: options.OtherSubscriptions = None,
    taxonomy: options.Taxonomy = None,
    index: Annotated[
        str | None, typer.Option("--index", help="An index version that a run of the lake has used.")
    ] = None,
    since: options.Since = None,
    until: options.Until = None,
    as_of: options.AsOf = None,
    strict: options.Strict = False,
    master: options.Master = None,
    remote: options.Remote = None,
    storage_option: options.StorageOptions = None,
    conf: options.Conf = None,
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
        as_of=as_of,
        strict=strict,
        storage=storage_in(storage_option),
    )
    with spark_for(master, conf, remote) as spark:
        outcome = replay(spark, request, progress_bar())
    show_outcome(outcome)
