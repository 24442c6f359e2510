"""The options of `triplewire pipeline stream` that no other command has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from triplewire.cli.invocation import SECRET_VARIABLE
from triplewire.cli.pipeline.options import path_here, path_text, path_value

Watched = Annotated[
    str | None, typer.Option("--events", "-e", metavar="FOLDER", parser=path_text, help="A folder or glob to watch.")
]
Kafka = Annotated[str | None, typer.Option("--kafka", metavar="SERVERS", help="Kafka, as HOST:PORT,…, with --topic.")]
TopicName = Annotated[str | None, typer.Option("--topic", help="The topic to read: one message an event.")]
FromNode = Annotated[str | None, typer.Option("--from-node", metavar="URL", help="A node, whose log to follow.")]
Changes = Annotated[
    bool, typer.Option("--changes", help="With --from-node: what changes in its living graph, not its events.")
]
Assemble = Annotated[bool, typer.Option("--assemble", help="Quads arrive apart: put events together by graph.")]
Gap = Annotated[str, typer.Option("--gap", help="With --assemble: an event is whole after so long a silence.")]
Delay = Annotated[str, typer.Option("--delay", help="With --assemble: how late a quad may come.")]
ToNodeUrl = Annotated[str | None, typer.Option("--to-node", metavar="URL", help="A node to deliver notifications.")]
ToKafkaServers = Annotated[str | None, typer.Option("--to-kafka", metavar="SERVERS", help="Kafka, with --to-topic.")]
ToTopic = Annotated[str | None, typer.Option("--to-topic", metavar="TOPIC", help="The topic for notifications.")]
KafkaFormat = Annotated[
    str, typer.Option("--kafka-format", metavar="FORMAT", help="What a message is: nquads, turtle, jsonld, …")
]
KafkaOptions = Annotated[
    list[str] | None, typer.Option("--kafka-option", metavar="KEY=VALUE...", help="An option of Spark's connector.")
]
Packages = Annotated[
    list[str] | None, typer.Option("--packages", metavar="GROUP:NAME:VERSION...", help="Jars by Maven's names.")
]
Jars = Annotated[
    Path | None,
    typer.Option("--jars", metavar="FOLDER", parser=path_value, help="Jars in a folder, as Kafka's connector."),
]
SecretFile = Annotated[
    Path | None,
    typer.Option(
        "--secret-file", metavar="PATH", parser=path_value, help=f"The secret for --from-node; else ${SECRET_VARIABLE}."
    ),
]
ToSecretFile = Annotated[
    Path | None,
    typer.Option(
        "--to-secret-file", metavar="PATH", parser=path_value, help="The secret for --to-node, if it is another node."
    ),
]
Name = Annotated[str, typer.Option("--name", help="The stream's name: under it, it resumes.")]
Every = Annotated[float, typer.Option("--every", min=0.0, help="Seconds between micro-batches.")]
FilesAtOnce = Annotated[int, typer.Option("--files-at-once", min=1, help="Files a micro-batch.")]
EventsAtOnce = Annotated[int, typer.Option("--events-at-once", min=1, help="Messages or events a micro-batch.")]
Checkpoint = Annotated[
    str | None,
    typer.Option("--checkpoint", metavar="FOLDER", parser=path_here, help="A folder here, if the lake is elsewhere."),
]
Drain = Annotated[bool, typer.Option("--drain", help="End when nothing new is left.")]
