"""`triplewire rules check`: are these rules sound, and in what order may they run?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from triplewire.cli.inputs import Problems
from triplewire.cli.invocation import FAILED
from triplewire.cli.rules.findings import findings, findings_object
from triplewire.cli.rules.inputs import (
    SchemaPath,
    known_rules,
    known_updates,
    prefixes_of,
    read_schema,
    strangers,
    writable,
)
from triplewire.cli.screen import diagnostics, labelled, output, report, waiting, write_json
from triplewire.rdf.prefixes import WELL_KNOWN
from triplewire.rules.analysis import Analysis
from triplewire.rules.drawing import as_dot, as_svg

EXAMPLES = """[bold]Examples[/bold]

triplewire rules check messages.rdftl --schema selene.ttl

triplewire rules check messages.rdftl --schema selene.ttl --graph triggering.svg

triplewire rules check messages.rdftl -s selene.ttl --json | jq '.conflicts[].C1.reason'

triplewire rules check messages.rdftl -s selene.ttl --updates today.rdftl --strict
"""

_DRAWN = (".svg", ".dot")


def check_command(
    rules: Annotated[Path, typer.Argument(metavar="RULES", help="A file of RDFTL rules, `;;` after each.")],
    schema: SchemaPath,
    as_json: Annotated[bool, typer.Option("--json", help="Everything that was found out, as one JSON object.")] = False,
    graph: Annotated[
        Path | None, typer.Option("--graph", metavar="PATH", help="Draw the triggering graph: .svg or .dot.")
    ] = None,
    updates: Annotated[
        Path | None,
        typer.Option("--updates", "-u", metavar="PATH", help="Also tell which rules these updates never lead to."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 also if the analysis has something to warn of.")
    ] = False,
) -> None:
    """Check rules: their syntax, their names and types, and what the analysis says of them.

    Bad rules are listed with line and reason, and the exit code is 1.
    A warning is no error: the analysis never says yes wrongly, but its no may be too careful.
    """
    drawn = None if graph is None else writable(graph, _DRAWN)
    problems = Problems()
    known = read_schema(schema)
    found = known_rules(rules, known, problems)
    asked = None if updates is None else known_updates(updates, known, problems)
    report(problems.sentences)
    if problems.sentences:
        raise typer.Exit(FAILED)
    with waiting("analysing"):
        analysis = Analysis(found, known)
    if drawn is not None:
        drawn.write_text(as_svg(analysis) if drawn.suffix.lower() == ".svg" else as_dot(analysis), encoding="utf-8")
    for sentence in strangers(found):
        diagnostics().print(labelled("note: ", "yellow", sentence))
    reported = findings(analysis, asked, {**WELL_KNOWN, **prefixes_of(found)})
    if as_json:
        write_json([findings_object(analysis, asked)])
    else:
        for finding in reported:
            output().print(labelled(f"{finding.label:<18}", finding.style, finding.text), soft_wrap=True)
    if strict and any(finding.warns for finding in reported):
        raise typer.Exit(FAILED)
