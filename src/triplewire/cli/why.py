"""`triplewire why EVENT QUERY`: does this event satisfy this query, and why, or why not?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from triplewire.algebra.subscriptions import Subscription
from triplewire.cli.inputs import STDIN, Problems, TaxonomyPath, read_events, read_taxonomy
from triplewire.cli.invocation import NO, UNANSWERED
from triplewire.cli.names import short_solution, shortened
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.node.subscribe import read_query
from triplewire.cli.screen import labelled, output, report
from triplewire.errors import InputError
from triplewire.matching.explain import MatchVerdict, why
from triplewire.rdf.solutions import Solutions
from triplewire.rdf.sparql_json import solution_of

EXAMPLES = """[bold]Examples[/bold]

triplewire why today.nq alerts/koubarakis.rq

triplewire why urn:event:1 'SELECT ?who { ?paper <http://purl.org/dc/elements/1.1/creator> ?who }'
"""


def why_command(
    event: Annotated[str, typer.Argument(metavar="EVENT", help="An RDF file, - for N-Quads, or a kept event's IRI.")],
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A SPARQL query, or a file (.rq, .formula, .graph).")],
    taxonomy: TaxonomyPath = None,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Say for each event whether it satisfies the query, with its solutions, or else what comes closest.

    Exits with 0 if one does, 1 if none does, and 2 if something could not be read.
    An event of a node is read by the node's own taxonomy.
    """
    text, language = read_query(query)
    if event == "-" or Path(event).exists():
        verdicts = _here(Path(event), Subscription.parse(text, language), taxonomy)
    elif ":" in event:
        verdicts = _there(event, text, language, node, secret_file)
    else:
        raise InputError(wanted="an RDF file, or the IRI of an event at the node", found="neither", source=event)
    for name, verdict in verdicts:
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
    return [(event, MatchVerdict(bool(found.matches), found.reason or "", solutions))]


def _show(event: str, verdict: MatchVerdict) -> None:
    word = "yes" if verdict.matches else "no"
    output().print(labelled(f"{word}: ", "bold", f"<{event}> {shortened(verdict.reason)}"), soft_wrap=True)
    for solution in verdict.solutions:
        if solution:
            output().print(labelled("     ", "", short_solution(solution)), soft_wrap=True)
