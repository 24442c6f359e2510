"""The options that commands of `triplewire pipeline` have in common, each said once."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from triplewire.errors import InputError


def path_text(value: str) -> str:
    """What a path option was given. A storage that nobody here reads is a wrong call, before any work."""
    from triplewire.pipeline.storage.location import Location

    try:
        location = Location.of(value)
    except InputError as problem:
        raise typer.BadParameter(str(problem)) from None
    return location.path if location.is_local else value


def path_here(value: str) -> str:
    """A path on this machine. Any other is a wrong call."""
    from triplewire.pipeline.storage.location import Location

    try:
        return str(Location.of(value).local)
    except InputError as problem:
        raise typer.BadParameter(str(problem)) from None


def path_value(value: str) -> Path:
    """The same, for options that are no text."""
    return Path(path_here(value))


_RDF = "Files, folders or globs of RDF, plain, .gz or .zst."

Events = Annotated[list[str], typer.Option("--events", "-e", metavar="PATH...", parser=path_text, help=_RDF)]
MaybeEvents = Annotated[
    list[str] | None, typer.Option("--events", "-e", metavar="PATH...", parser=path_text, help=_RDF)
]
Subscriptions = Annotated[
    list[str],
    typer.Option(
        "--subscriptions", "-s", metavar="PATH...", parser=path_text, help="Files, folders or tables of subscriptions."
    ),
]
OtherSubscriptions = Annotated[
    list[str] | None,
    typer.Option("--subscriptions", "-s", metavar="PATH...", parser=path_text, help="Other subscriptions."),
]
Taxonomy = Annotated[
    str | None, typer.Option("--taxonomy", "-t", metavar="PATH", parser=path_text, help="An RDFS hierarchy.")
]
Out = Annotated[str, typer.Option("--out", "-o", metavar="LAKE", parser=path_text, help="The lake's folder.")]
Report = Annotated[str, typer.Option("--out", "-o", metavar="FOLDER", parser=path_here, help="Where the report goes.")]
LakePath = Annotated[str, typer.Option("--lake", "-l", metavar="LAKE", parser=path_text, help="An event lake.")]
MaybeLake = Annotated[
    str | None, typer.Option("--lake", "-l", metavar="LAKE", parser=path_text, help="Or the events of a lake.")
]
Strategy = Annotated[str, typer.Option("--strategy", help="replicate, osma, csma or auto.")]
Quads = Annotated[bool, typer.Option("--quads", help="Also fill the table `quads`.")]
Strict = Annotated[bool, typer.Option("--strict", help="Fail on bad input instead of keeping it in `rejects`.")]
Append = Annotated[bool, typer.Option("--append", help="Add to a lake that holds other runs.")]
RunId = Annotated[str | None, typer.Option("--run-id", help="Name the run. A run that the lake has is not run again.")]
EventBytes = Annotated[int | None, typer.Option(min=1, metavar="BYTES", help="How large one event may be. [1 MiB]")]
EventQuads = Annotated[int | None, typer.Option(min=1, metavar="QUADS", help="How many quads one may have. [10,000]")]
Base = Annotated[str | None, typer.Option("--base", metavar="IRI", help="Base of relative IRIs. [the file's URL]")]
EventTime = Annotated[
    str | None, typer.Option("--event-time", metavar="IRI", help="The property that is an event's time. [the file's]")
]
ContextMap = Annotated[
    str | None,
    typer.Option("--contexts", metavar="FILE", parser=path_here, help="JSON-LD contexts: a JSON map of URLs to files."),
]
Since = Annotated[datetime | None, typer.Option("--since", help="Events from this time on.")]
Until = Annotated[datetime | None, typer.Option("--until", help="Events before this time.")]
Master = Annotated[str | None, typer.Option("--master", help="Where Spark runs, as spark://HOST:PORT. [local[*]]")]
Remote = Annotated[
    str | None, typer.Option("--remote", metavar="URL", help="A Spark Connect server, as sc://HOST:PORT.")
]
AsOf = Annotated[
    str | None,
    typer.Option("--as-of", metavar="VERSION|TIME", help="The lake as it was, by a version of `runs`."),
]
StorageOptions = Annotated[
    list[str] | None,
    typer.Option("--storage-option", metavar="KEY=VALUE", help="What a storage needs, as AWS_ENDPOINT_URL=…"),
]
Conf = Annotated[list[str] | None, typer.Option("--conf", metavar="KEY=VALUE", help="A setting for Spark.")]


def examples(*calls: str) -> str:
    """What stands under a command's help."""
    return "\n\n".join(["[bold]Examples[/bold]", *(f"triplewire pipeline {call}" for call in calls)])
