"""`triplewire publish`: send events to a node."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from triplewire.cli.inputs import STDIN, Base, ContextMap, Problems, read_events, read_subjects
from triplewire.cli.invocation import FAILED
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import diagnostics, plain, report, waiting, write_json
from triplewire.rdf.events import Event
from triplewire.rdf.formats import NQUADS, format_named
from triplewire.rdf.limits import DEFAULT_LIMITS, MIB, Limits
from triplewire.rdf.parsing.contexts import Contexts
from triplewire.rdf.parsing.reading_options import ReadingOptions

EXAMPLES = """[bold]Examples[/bold]

triplewire publish today.nq

triplewire publish --split-by subject schema.ttl --base https://schema.org/

zcat events.nq.gz | triplewire publish -
"""
_BATCH = 100
# A file of the caller's own, of which each subject is an event, may be large.
_DUMP_BYTES = 4096 * MIB
_LOCAL = b"<file:///"


class SplitBy(StrEnum):
    """What becomes an event of its own."""

    GRAPH = "graph"
    SUBJECT = "subject"


def publish_command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE|-...", help="RDF files, or - for standard input.")],
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
    base: Base = None,
    contexts: ContextMap = None,
    split_by: Annotated[
        SplitBy,
        typer.Option("--split-by", help="One event a graph, or one a subject, for a vocabulary or a dump."),
    ] = SplitBy.GRAPH,
    form: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="The RDF format of standard input.")
    ] = NQUADS.name,
) -> None:
    """Publish events. Prints each event's IRI and position once it is on the node's disk, one JSON object a line.

    If any file cannot be read, nothing is sent. How large an event may be is the node's to say.
    """
    problems = Problems()
    with connect(node, secret_file) as client:
        limits = client.limits()
        reading = ReadingOptions(limits=_for_files(limits, split_by), base=base, contexts=Contexts.load(contexts))
        read = read_subjects if split_by is SplitBy.SUBJECT else read_events
        paths = [STDIN if str(file) == "-" else file for file in files]
        with waiting("reading"):
            events = read(paths, problems, reading, format_named(form).name)
        if problems.sentences:
            report(problems.sentences)
            raise typer.Exit(FAILED)
        _tell_of_local_names(events, base)
        sent = 0
        for batch in batches(events, limits.document_bytes):
            with waiting(f"publishing, {sent:,} of {len(events):,} are on the node's disk"):
                receipts = client.publish(batch)
            sent += len(batch)
            write_json({"event": receipt.event, "position": receipt.position} for receipt in receipts)
            sys.stdout.flush()


def batches(events: Iterable[Event], most_bytes: int) -> Iterator[list[Event]]:
    """The events in groups that fit into one request each; an event that is larger than that goes alone."""
    batch: list[Event] = []
    size = 0
    for event in events:
        if batch and (len(batch) == _BATCH or size + len(event.nquads) > most_bytes):
            yield batch
            batch, size = [], 0
        batch.append(event)
        size += len(event.nquads)
    if batch:
        yield batch


def _for_files(limits: Limits, split_by: SplitBy) -> Limits:
    """A file may hold more than a request: what is sent is cut into events first."""
    most = _DUMP_BYTES if split_by is SplitBy.SUBJECT else max(DEFAULT_LIMITS.document_bytes, limits.document_bytes)
    return msgspec.structs.replace(limits, document_bytes=most, expanded_bytes=4 * most)


def _tell_of_local_names(events: Sequence[Event], base: str | None) -> None:
    """An event that names this machine's files means something else, or nothing, on another machine."""
    local = sum(_LOCAL in event.nquads for event in events) if base is None else 0
    if local:
        where = f"{local:,} of {len(events):,} events"
        diagnostics().print(plain(f"{where} have file:/// IRIs, of folders of this machine; --base names another"))
