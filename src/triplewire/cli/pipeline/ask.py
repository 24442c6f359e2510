"""`triplewire pipeline ask`: SPARQL over the history of a lake."""

from __future__ import annotations

import csv
import io
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from triplewire.cli.invocation import text_of
from triplewire.cli.node.query import show_answer
from triplewire.cli.pipeline import options
from triplewire.cli.pipeline.job import progress_bar, spark_for, storage_in
from triplewire.cli.pipeline.options import examples
from triplewire.cli.screen import diagnostics, output, plain
from triplewire.errors import InputError
from triplewire.rdf.sparql_json import json_binding
from triplewire.rdf.terms import Literal, NamedNode, Term

if TYPE_CHECKING:
    from triplewire.pipeline.jobs.questions.asking import Answer

EXAMPLES = examples(
    "ask 'SELECT ?event (COUNT(*) AS ?n) { GRAPH ?event { ?s ?p ?o } } GROUP BY ?event' --lake lake",
    "ask question.rq -l lake --since 2024-05-01 --format csv --out answer.csv",
    "ask 'SELECT * { ?paper <urn:by> ?who . ?who <urn:at> ?place }' -l lake --format parquet --out answer",
)


class AnswerFormat(StrEnum):
    """How an answer is written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    NTRIPLES = "ntriples"
    PARQUET = "parquet"


def ask_command(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="A SPARQL query, a file that ends in .rq, or - for input.")
    ],
    lake: options.LakePath,
    form: Annotated[
        AnswerFormat | None,
        typer.Option("--format", help="How the answer is written. Default: a table on a terminal, JSON elsewhere."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="PATH", parser=options.path_text, help="Where to, if not standard output."),
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=0, help="How many rows of the answer.")] = None,
    since: options.Since = None,
    until: options.Until = None,
    as_of: options.AsOf = None,
    master: options.Master = None,
    remote: options.Remote = None,
    storage_option: options.StorageOptions = None,
    conf: options.Conf = None,
) -> None:
    """Evaluate a SPARQL query over every event of a lake, as a node's /events/sparql does over those that it keeps.

    Each event is a named graph; the default graph is the set of all their triples. Patterns and filters are joins on
    Spark; what is inside GRAPH ?g is evaluated an event at a time. What would need all events in one place is refused.
    """
    from triplewire.pipeline.jobs.questions.asking import AskRequest, ask, write_answer
    from triplewire.pipeline.storage.files import replace_bytes
    from triplewire.pipeline.storage.location import Location

    form = form or (AnswerFormat.TABLE if output().is_terminal and out is None else AnswerFormat.JSON)
    if (form is AnswerFormat.PARQUET) > (out is not None):
        raise typer.BadParameter("--format parquet wants --out FOLDER, found none")
    request = AskRequest(
        lake=lake,
        query=text_of(query, ".rq"),
        since=since,
        until=until,
        as_of=as_of,
        limit=limit,
        storage=storage_in(storage_option),
    )
    with spark_for(master, conf, remote) as spark:
        if form is AnswerFormat.PARQUET and out is not None:
            write_answer(spark, request, out, progress_bar())
            diagnostics().print(plain(f"the answer is in {out}"))
            return
        answer = ask(spark, request, progress_bar())
    if form is AnswerFormat.TABLE and out is None:
        show_answer(answer if isinstance(answer, bool) else answer.triples() if answer.is_graph else answer.solutions())
        return
    document = written(answer, form)
    if out is None:
        sys.stdout.buffer.write(document)
    else:
        replace_bytes(Location.of(out, request.storage), document)


def written(answer: Answer | bool, form: AnswerFormat) -> bytes:
    """An answer as a document."""
    if form is AnswerFormat.NTRIPLES:
        if isinstance(answer, bool) or not answer.is_graph:
            raise InputError(subject="N-Triples", wanted="the answer of a CONSTRUCT", found="that of another query")
        return "".join(f"{' '.join(map(str, row))} .\n" for row in answer.rows).encode()
    if form is AnswerFormat.CSV:
        return _csv(answer)
    if form is AnswerFormat.JSON:
        return _json(answer)
    raise InputError(subject="a file", wanted="json, csv, ntriples or parquet", found=form.value)


def _json(answer: Answer | bool) -> bytes:
    """SPARQL 1.1 Query Results JSON Format; triples as solutions of three variables."""
    if isinstance(answer, bool):
        return msgspec.json.encode({"head": {}, "boolean": answer}) + b"\n"
    bindings = [json_binding(row) for row in answer.solutions()]
    return msgspec.json.encode({"head": {"vars": answer.names}, "results": {"bindings": bindings}}) + b"\n"


def _csv(answer: Answer | bool) -> bytes:
    """SPARQL 1.1 Query Results CSV Format."""
    if isinstance(answer, bool):
        raise InputError(subject="CSV", wanted="the answer of a SELECT or CONSTRUCT", found="that of an ASK")
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(answer.names)
    table.writerows([_plain(row.get(name)) for name in answer.names] for row in answer.solutions())
    return text.getvalue().encode()


def _plain(term: Term | None) -> str:
    if term is None:
        return ""
    return term.value if isinstance(term, NamedNode | Literal) else str(term)
