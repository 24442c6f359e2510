"""`triplewire query`: ask the living graph of a node, or the events that it keeps."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

import typer

from triplewire.cli.invocation import text_of
from triplewire.cli.names import short
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import output, plain, remark, show_table
from triplewire.rdf.solutions import Solutions, Triples

EXAMPLES = """[bold]Examples[/bold]

triplewire query 'SELECT ?s ?p ?o { ?s ?p ?o } LIMIT 10'

triplewire query --events 'SELECT ?event (COUNT(*) AS ?triples) { GRAPH ?event { ?s ?p ?o } } GROUP BY ?event'
"""


class ResultFormat(StrEnum):
    """How results are written."""

    TABLE = "table"
    JSON = "json"
    XML = "xml"
    CSV = "csv"
    TSV = "tsv"
    NTRIPLES = "ntriples"
    TURTLE = "turtle"


_MEDIA_TYPES = {
    ResultFormat.JSON: "application/sparql-results+json, application/ld+json;q=0.5",
    ResultFormat.XML: "application/sparql-results+xml, application/rdf+xml;q=0.5",
    ResultFormat.CSV: "text/csv",
    ResultFormat.TSV: "text/tab-separated-values",
    ResultFormat.NTRIPLES: "application/n-triples",
    ResultFormat.TURTLE: "text/turtle",
}


def query_command(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="A SPARQL query, a file that ends in .rq, or - for input.")
    ],
    form: Annotated[
        ResultFormat | None,
        typer.Option("--format", help="How results are written. Default: a table on a terminal, JSON elsewhere."),
    ] = None,
    events: Annotated[bool, typer.Option("--events", help="Ask every event that the node keeps instead.")] = False,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Evaluate a SPARQL query over a node's living graph, or over its events."""
    form = form or (ResultFormat.TABLE if output().is_terminal else ResultFormat.JSON)
    text, over = text_of(query, ".rq"), "/events/sparql" if events else "/sparql"
    with connect(node, secret_file) as client:
        if form is ResultFormat.TABLE:
            show_answer(client.query(text, over=over))
        else:
            document = client.query_document(text, _MEDIA_TYPES[form], over=over)
            sys.stdout.buffer.write(document if document.endswith(b"\n") or not document else document + b"\n")


def show_answer(answer: Solutions | bool | Triples) -> None:
    """Print an answer for people."""
    if isinstance(answer, bool):
        output().print(plain("yes" if answer else "no"))
    elif isinstance(answer, Triples):
        for triple in answer:
            output().print(plain(f"{' '.join(map(short, triple))} ."), soft_wrap=True)
    else:
        show_table([f"?{name}" for name in answer.variables], _rows(answer))
        remark(f"{len(answer):,} solution{'' if len(answer) == 1 else 's'}")


def _rows(answer: Solutions) -> Iterator[list[str]]:
    for row in answer:
        yield [short(row[name]) if name in row else "" for name in answer.variables]
