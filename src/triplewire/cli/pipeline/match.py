"""`triplewire pipeline match`: files of events against subscriptions, into a lake."""

from __future__ import annotations

from triplewire.cli.pipeline import options
from triplewire.cli.pipeline.job import progress_bar, read_options, show_outcome, spark_for, storage_in
from triplewire.cli.pipeline.options import examples

EXAMPLES = examples(
    "match --events data/events --subscriptions data/subscriptions.jsonl --out lake",
    "match -e 'feed/*.nq.gz' -s alerts/ --taxonomy classes.ttl --out lake --append --run-id tuesday",
    "match -e feed/ -s alerts/ -o lake --strategy auto --master spark://HOST:7077",
)


def match_command(
    events: options.Events,
    subscriptions: options.Subscriptions,
    out: options.Out,
    taxonomy: options.Taxonomy = None,
    strategy: options.Strategy = "replicate",
    quads: options.Quads = False,
    strict: options.Strict = False,
    append: options.Append = False,
    run_id: options.RunId = None,
    event_bytes: options.EventBytes = None,
    event_quads: options.EventQuads = None,
    base: options.Base = None,
    contexts: options.ContextMap = None,
    event_time: options.EventTime = None,
    master: options.Master = None,
    remote: options.Remote = None,
    storage_option: options.StorageOptions = None,
    conf: options.Conf = None,
) -> None:
    """Match files of events against subscriptions, and write the lake: all of it, or nothing.

    A folder that holds another run's data is refused, unless --append is given.
    """
    from triplewire.pipeline.jobs.compaction import CompactRequest, compact
    from triplewire.pipeline.jobs.matching import MatchRequest, match_files

    storage = storage_in(storage_option)
    request = MatchRequest(
        events=tuple(events),
        subscriptions=tuple(subscriptions),
        out=out,
        taxonomy=taxonomy,
        strategy=strategy,
        strict=strict,
        append=append,
        run_id=run_id,
        reading=read_options(event_bytes, event_quads, base, contexts, event_time, storage),
        storage=storage,
    )
    with spark_for(master, conf, remote) as spark:
        outcome = match_files(spark, request, progress_bar())
        if quads:
            compact(spark, CompactRequest(lake=out, tables=("quads",), storage=storage), progress_bar())
    show_outcome(outcome)
