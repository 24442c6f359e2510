"""`triplewire why`: does this event satisfy this query, and why, or why not? And what does an answer stand on?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from triplewire.algebra.subscriptions import Subscription
from triplewire.cli.inputs import STDIN, Problems, TaxonomyPath, read_events, read_taxonomy
from triplewire.cli.invocation import NO, UNANSWERED
from triplewire.cli.names import short_solution, shortened
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.node.subscribe import read_query
from triplewire.cli.reasons import reason_lines
from triplewire.cli.screen import labelled, output, report, write_json
from triplewire.errors import InputError
from triplewire.matching.explain import MatchVerdict, why
from triplewire.rdf.solutions import Solutions
from triplewire.rdf.sparql_json import json_binding, solution_of
from triplewire.wire.reasons import ExplainedAnswer, Reason

EXAMPLES = """[bold]Examples[/bold]

triplewire why today.nq alerts/koubarakis.rq

triplewire why urn:event:1 'SELECT ?who { ?paper <http://purl.org/dc/elements/1.1/creator> ?who }'

triplewire why --graph 'SELECT ?who { ?paper <http://purl.org/dc/elements/1.1/creator> ?who }'

triplewire why --view books
"""


def why_command(
    event: Annotated[
        str | None, typer.Argument(metavar="EVENT", help="An RDF file, - for N-Quads, or a kept event's IRI.")
    ] = None,
    query: Annotated[
        str | None, typer.Argument(metavar="QUERY", help="A SPARQL query, or a file (.rq, .formula, .graph).")
    ] = None,
    graph: Annotated[
        str | None, typer.Option("--graph", metavar="QUERY", help="Ask the node's living graph instead of an event.")
    ] = None,
    view: Annotated[str | None, typer.Option("--view", metavar="NAME", help="The same with a view's query.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    taxonomy: TaxonomyPath = None,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Say for each event whether it satisfies the query, with its solutions, or else what comes closest.

    Under each solution is what it stands on: asserted, or inferred, by which axioms of the taxonomy.
    With --graph or --view it is what the living graph answers, and who asserted what that stands on: which update,
    and the firings of which rules.
    Exits with 0 if there is a solution, 1 if there is none, and 2 if something could not be read.
    An event of a node is read by the node's own taxonomy.
    """
    if graph is not None or view is not None:
        if event is not None or (graph is not None and view is not None):
            raise InputError(wanted="an event with a query, --graph, or --view", found="more than one of them")
        _explain_answer(graph, view, node, secret_file, as_json=as_json)
        return
    if event is None or query is None:
        raise InputError(wanted="an event and a query, --graph, or --view", found="less")
    text, language = read_query(query)
    if event == "-" or Path(event).exists():
        verdicts = _here(Path(event), Subscription.parse(text, language), taxonomy)
    elif ":" in event:
        verdicts = _there(event, text, language, node, secret_file)
    else:
        raise InputError(wanted="an RDF file, or the IRI of an event at the node", found="neither", source=event)
    for name, verdict in verdicts:
        if as_json:
            write_json([_json(name, verdict)])
        else:
            _show(name, verdict)
    if not any(verdict.matches for _, verdict in verdicts):
        raise typer.Exit(NO)


def _here(path: Path, subscription: Subscription, taxonomy: Path | None) -> list[tuple[str, MatchVerdict]]:
    problems = Problems()
    known = read_taxonomy(taxonomy)
    events = read_events([STDIN if str(path) == "-" else path], problems)
    if problems.sentences:
        report(problems.sentences)
        raise typer.Exit(UNANSWERED)
    return [(event.graph.value, why(subscription, event, known)) for event in events]


def _there(event: str, text: str, language: str, node: str, secret_file: Path | None) -> list[tuple[str, MatchVerdict]]:
    with connect(node, secret_file) as client:
        found = client.explain(text, language=language, event=event)
    solutions = Solutions(map(solution_of, found.solutions))
    return [(event, MatchVerdict(bool(found.matches), found.reason or "", solutions, found.why))]


def _explain_answer(graph: str | None, view: str | None, node: str, secret_file: Path | None, *, as_json: bool) -> None:
    with connect(node, secret_file) as client:
        if view is not None:
            found = client.explain_view_answer(view)
        else:
            found = client.explain_answer(read_query(graph or "")[0])
    if as_json:
        write_json([msgspec.to_builtins(found)])
    else:
        _show_answer(found)
    if not found.answer:
        raise typer.Exit(NO)


def _json(event: str, verdict: MatchVerdict) -> dict[str, object]:
    solutions = [json_binding(solution) for solution in verdict.solutions]
    told = {"matches": verdict.matches, "reason": verdict.reason, "solutions": solutions}
    return {"event": event} | told | {"why": msgspec.to_builtins(verdict.reasons)}


def _show(event: str, verdict: MatchVerdict) -> None:
    word = "yes" if verdict.matches else "no"
    output().print(labelled(f"{word}: ", "bold", f"<{event}> {shortened(verdict.reason)}"), soft_wrap=True)
    reasons: Sequence[Reason] = verdict.reasons or [Reason()] * len(verdict.solutions)
    for solution, reason in zip(verdict.solutions, reasons, strict=False):
        _show_item(short_solution(solution), reason, event)


def _show_answer(found: ExplainedAnswer) -> None:
    """Each item of an answer over the living graph, and what it stands on."""
    count = len(found.answer) if isinstance(found.answer, list) else int(found.answer)
    said = shortened(found.nearest) if isinstance(found.nearest, str) else f"as of change {found.change:,}"
    output().print(labelled("yes: " if count else "no: ", "bold", said), soft_wrap=True)
    items = found.answer if isinstance(found.answer, list) else [{}] * count
    for item, reason in zip(items, found.why.answer or (), strict=False):
        _show_item(shortened(item) if isinstance(item, str) else short_solution(solution_of(item)), reason, "")


def _show_item(item: str, reason: Reason, graph: str) -> None:
    if item:
        output().print(labelled("     ", "", item), soft_wrap=True)
    for line in reason_lines(reason, graph):
        output().print(labelled("       ", "", line), soft_wrap=True)
