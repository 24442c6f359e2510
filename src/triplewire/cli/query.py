"""`triplewire query`: ask everything that a node keeps."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from triplewire.cli.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect

EXAMPLES = """[bold]Examples[/bold]

triplewire query 'SELECT (COUNT(*) AS ?n) WHERE { GRAPH ?event { ?s ?p ?o } }' --format csv
"""


class ResultFormat(StrEnum):
    """How results are written."""

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
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A SPARQL query, or a file that ends in .rq.")],
    form: Annotated[ResultFormat, typer.Option("--format", help="How results are written.")] = ResultFormat.JSON,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Evaluate a SPARQL query over every event that a node keeps."""
    text = Path(query).read_text("utf-8") if query.endswith(".rq") else query
    with connect(node, secret_file) as client:
        sys.stdout.buffer.write(client.query(text, _MEDIA_TYPES[form]))
