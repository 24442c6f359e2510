"""`triplewire pipeline stream`: from a folder, Kafka or a node, into the lake, and from there to a node or to Kafka."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from triplewire.cli.invocation import FAILED
from triplewire.cli.node.remote import client_at, connect
from triplewire.cli.pipeline import options
from triplewire.cli.pipeline import stream_options as asked
from triplewire.cli.pipeline.job import progress_bar, read_options, settings_in, spark_for, storage_in
from triplewire.cli.pipeline.options import examples
from triplewire.cli.pipeline.signals import SIGNAL_CODE, stopped_by_signals
from triplewire.cli.screen import complain, diagnostics, output, plain
from triplewire.errors import InputError

if TYPE_CHECKING:
    from triplewire.client import Client
    from triplewire.pipeline.jobs.stream import StreamSummary
    from triplewire.pipeline.jobs.stream.request import Source
    from triplewire.pipeline.jobs.stream.sinks import Sink

EXAMPLES = examples(
    "stream --events incoming/ --subscriptions alerts/ --out lake",
    "stream --kafka host:9092 --topic papers --jars jars/ -s alerts/ -o lake --strategy auto",
    "stream --from-node http://127.0.0.1:8080 -s alerts/ -o lake --to-node http://127.0.0.1:8080",
    "stream --from-node http://127.0.0.1:8080 --changes -s alerts/ -o changes",
)
_SHOWN = 20
_RESUME = "the same call goes on where it was"


def stream_command(
    subscriptions: options.Subscriptions,
    out: options.Out,
    events: asked.Watched = None,
    kafka: asked.Kafka = None,
    topic: asked.TopicName = None,
    kafka_format: asked.KafkaFormat = "nquads",
    from_node: asked.FromNode = None,
    changes: asked.Changes = False,
    taxonomy: options.Taxonomy = None,
    strategy: options.Strategy = "replicate",
    assemble: asked.Assemble = False,
    gap: asked.Gap = "10 seconds",
    delay: asked.Delay = "1 minute",
    to_node: asked.ToNodeUrl = None,
    to_kafka: asked.ToKafkaServers = None,
    to_topic: asked.ToTopic = None,
    kafka_option: asked.KafkaOptions = None,
    packages: asked.Packages = None,
    jars: asked.Jars = None,
    secret_file: asked.SecretFile = None,
    to_secret_file: asked.ToSecretFile = None,
    name: asked.Name = "stream",
    every: asked.Every = 5.0,
    files_at_once: asked.FilesAtOnce = 1_000,
    events_at_once: asked.EventsAtOnce = 100_000,
    drain: asked.Drain = False,
    checkpoint: asked.Checkpoint = None,
    strict: options.Strict = False,
    append: options.Append = False,
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
    """Match what arrives, exactly once into the lake. Ctrl-C stops; the same call resumes.

    Files must appear whole: write them under another name, or one that begins with a dot, and rename them.
    Subscriptions that change take effect with the next micro-batch.
    """
    _require_one({"--events": events, "--kafka": kafka, "--from-node": from_node})
    _require_both({"--kafka": kafka, "--topic": topic})
    if changes and from_node is None:
        raise typer.BadParameter("wanted --from-node with --changes, found --changes alone")
    _require_both({"--to-kafka": to_kafka, "--to-topic": to_topic})
    from triplewire.pipeline.jobs import stream as job

    storage = storage_in(storage_option)
    connector = settings_in(kafka_option or (), "--kafka-option")
    with ExitStack() as opened:
        source: Source
        if from_node is not None:
            client = opened.enter_context(connect(from_node, secret_file))
            if changes:
                source = job.NodeLog(job.ChangeLog(client), events_at_once, "/changes")
            else:
                source = job.NodeLog(client, events_at_once)
        elif kafka is not None and topic is not None:
            source = job.Topic(kafka, topic, events_at_once, connector, kafka_format)
        else:
            source = job.Folder(
                str(events), files_at_once, read_options(event_bytes, event_quads, base, contexts, event_time, storage)
            )
        sinks: list[Sink] = []
        if to_node is not None:
            receiver = _receiver(to_node, from_node, secret_file, to_secret_file)
            sinks.append(job.ToNode(opened.enter_context(receiver)))
        if to_kafka is not None and to_topic is not None:
            sinks.append(job.ToKafka(to_kafka, to_topic, connector))
        request = job.StreamRequest(
            source=source,
            subscriptions=tuple(subscriptions),
            out=out,
            taxonomy=taxonomy,
            strategy=strategy,
            assembly=job.Assembly(gap, delay) if assemble else None,
            sinks=tuple(sinks),
            name=name,
            every_seconds=every,
            drain=drain,
            checkpoint=checkpoint,
            storage=storage,
            strict=strict,
            append=append,
        )
        stop = job.StopSignal()
        with (
            spark_for(master, [*_jars(packages, jars), *(conf or ())], remote) as spark,
            stopped_by_signals(stop) as received,
        ):
            try:
                done = job.stream(spark, request, progress_bar(), stop)
            except KeyboardInterrupt:
                diagnostics().print(plain(f"stopped at once; {_RESUME}"))
                raise
    _show_summary(done)
    if received.signal is not None:
        diagnostics().print(plain(f"stopped; {_RESUME}"))
        raise typer.Exit(SIGNAL_CODE + received.signal)
    if done.quarantined:
        raise typer.Exit(FAILED)


def _show_summary(done: StreamSummary) -> None:
    words = f"{done.batches:,} micro-batches, {done.events:,} events, {done.matches:,} matches"
    delivered = f", {done.delivered:,} delivered" if done.delivered else ""
    output().print(plain(f"{words}, {done.rejects:,} rejects{delivered}; the lake is {done.lake}"))
    for name, why in list(done.quarantined.items())[:_SHOWN]:
        complain(f"subscription {name} is quarantined, its notifications are incomplete: {why}")


def _require_one(given: dict[str, str | None]) -> None:
    found = [name for name, value in given.items() if value is not None]
    if len(found) != 1:
        raise typer.BadParameter(f"wanted one of {', '.join(given)}, found {' and '.join(found) or 'none'}")


def _require_both(given: dict[str, str | None]) -> None:
    found = [name for name, value in given.items() if value is not None]
    if len(found) == 1:
        raise typer.BadParameter(f"wanted {' and '.join(given)} together, found {found[0]} alone")


def _receiver(to_node: str, from_node: str | None, secret_file: Path | None, to_secret_file: Path | None) -> Client:
    """The client of --to-node. A secret that is meant for another node is not shown to it."""
    if to_secret_file is not None or from_node in (None, to_node):
        return connect(to_node, to_secret_file or secret_file)
    return client_at(to_node, None)


def _jars(packages: list[str] | None, folder: Path | None) -> list[str]:
    """The settings of Spark that name jars."""
    settings = [f"spark.jars.packages={','.join(packages)}"] if packages else []
    if folder is None:
        return settings
    names = sorted(str(path.resolve()) for path in folder.glob("*.jar"))
    if not names:
        raise InputError(wanted="a folder with jars as --jars", found="none in it", source=str(folder))
    return [*settings, f"spark.jars={','.join(names)}"]
