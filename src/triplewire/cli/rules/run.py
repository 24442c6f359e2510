"""`triplewire rules run` and `dry-run`: execute updates, and see which rules fire and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from triplewire.cli.inputs import Problems
from triplewire.cli.invocation import FAILED
from triplewire.cli.rules.graphs import graph_format, read_data, write_graph
from triplewire.cli.rules.inputs import SchemaPath, known_rules, known_updates, prefixes_of, read_schema
from triplewire.cli.rules.trace import changes_shown, entries_shown, entry_object, summary
from triplewire.cli.screen import complain, output, plain, report, waiting, write_json
from triplewire.languages.rdftl.syntax import Rule
from triplewire.rdf.prefixes import WELL_KNOWN
from triplewire.rules.analysis import Analysis
from triplewire.rules.commutativity import by_analysis
from triplewire.rules.execution import Rulebook, Runner, ScheduleOutcome, Status
from triplewire.rules.execution.context import Limits
from triplewire.rules.repository import Repository

RUN_EXAMPLES = """[bold]Examples[/bold]

triplewire rules run --schema selene.ttl --data users.ttl --rules messages.rdftl --updates today.rdftl --out after.ttl

triplewire rules run -s selene.ttl -d users.ttl -r messages.rdftl -u today.rdftl --trace

triplewire rules run -s selene.ttl -d users.ttl -r messages.rdftl -u today.rdftl --json | jq 'select(.rule) | .rule'
"""
DRY_RUN_EXAMPLES = """[bold]Examples[/bold]

triplewire rules dry-run --schema selene.ttl --data users.ttl --rules messages.rdftl --updates today.rdftl

triplewire rules dry-run -s selene.ttl -d users.ttl -r messages.rdftl -u today.rdftl --trace
"""

DataPath = Annotated[
    Path | None,
    typer.Option("--data", "-d", metavar="PATH", help="The repository: an RDF file. Without it, an empty one."),
]
RulesPath = Annotated[
    Path, typer.Option("--rules", "-r", metavar="PATH", help="A file of RDFTL rules, `;;` after each.")
]
UpdatesPath = Annotated[
    Path, typer.Option("--updates", "-u", metavar="PATH", help="A file of RDFTL updates, `;;` after each.")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object for each transaction and firing, a line each.")]
WithTrace = Annotated[bool, typer.Option("--trace", help="Also show `$delta` and every triple that came or went.")]
Depth = Annotated[int, typer.Option("--depth", min=1, help="How deep rules may trigger each other.")]

_DEPTH = Limits().depth


def run_command(
    schema: SchemaPath,
    rules: RulesPath,
    updates: UpdatesPath,
    data: DataPath = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="PATH", help="Write the repository there; the ending says in which format."
        ),
    ] = None,
    closure: Annotated[
        bool, typer.Option("--closure", help="Also write what follows from superclasses and superproperties.")
    ] = False,
    trace: WithTrace = False,
    as_json: AsJson = False,
    depth: Depth = _DEPTH,
) -> None:
    """Execute updates, and the rules that they trigger; show each firing with its cause.

    A transaction that fails is undone, the others stay, and the exit code is 1.
    """
    if out is not None:
        graph_format(out)
    session = _Session(schema, data, rules, updates, depth)
    with waiting("executing"):
        outcome = session.runner.run(session.updates)
    if out is not None:
        write_graph(out, session.repository if closure else session.repository.asserted)
    session.show(outcome, trace=trace, as_json=as_json)


def dry_run_command(
    schema: SchemaPath,
    rules: RulesPath,
    updates: UpdatesPath,
    data: DataPath = None,
    trace: WithTrace = False,
    as_json: AsJson = False,
    depth: Depth = _DEPTH,
) -> None:
    """Tell what updates would do, with the rules that they would trigger. Nothing is kept.

    At the end stands what the repository would gain (+) and lose (-).
    """
    session = _Session(schema, data, rules, updates, depth)
    with waiting("executing"):
        outcome = session.runner.dry_run(session.updates)
    session.show(outcome, trace=trace, as_json=as_json, ending=not as_json)


class _Session:
    """A repository, rules and updates that were read without a problem."""

    def __init__(self, schema: Path, data: Path | None, rules: Path, updates: Path, depth: int) -> None:
        problems = Problems()
        known = read_schema(schema)
        found = known_rules(rules, known, problems)
        self.updates = known_updates(updates, known, problems)
        self.repository = Repository(known)
        if data is not None:
            with problems.noted(str(data)):
                self.repository.load(read_data(data))
        report(problems.sentences)
        if problems.sentences:
            raise typer.Exit(FAILED)
        self._prefixes = {**WELL_KNOWN, **prefixes_of(found), **prefixes_of(self.updates)}
        self.runner = _runner(self.repository, found, depth)

    def show(self, outcome: ScheduleOutcome, *, trace: bool, as_json: bool, ending: bool = False) -> None:
        """Print what came of the updates, and leave with 1 if a transaction failed."""
        if as_json:
            write_json(map(entry_object, outcome.entries))
        else:
            shown = entries_shown(outcome.entries, self._prefixes, in_full=trace)
            ends = changes_shown(outcome.changes, self._prefixes) if ending else ()
            for line in (*shown, *ends, summary(outcome)):
                output().print(plain(line), soft_wrap=True)
        failed = [entry for entry in outcome.entries if entry.rule is None and entry.status is Status.ABORTED]
        for entry in failed:
            complain(f"transaction {entry.transaction} was undone: {entry.error}")
        if failed:
            raise typer.Exit(FAILED)


def _runner(repository: Repository, rules: list[Rule], depth: int) -> Runner:
    analysis = Analysis(rules, repository.schema)
    book = Rulebook(repository.schema, rules)
    return Runner(repository, book, limits=Limits(depth=depth), commutes=by_analysis(analysis))
