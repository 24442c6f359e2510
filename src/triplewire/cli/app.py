"""The program: its commands and `--version`."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, TextIO, cast

import typer

from triplewire import __version__
from triplewire.cli import covers, explain, generate, jsap, match, subsumes, why
from triplewire.cli.agents import mcp
from triplewire.cli.demo import command as demo
from triplewire.cli.federation import privileges
from triplewire.cli.invocation import INTERRUPTED, Job, ManyPathsJob, Question
from triplewire.cli.manual import command as manual
from triplewire.cli.network import group as network
from triplewire.cli.node import (
    changes,
    clients,
    dead_letters,
    feed,
    graph,
    publish,
    query,
    schema,
    serve,
    subscribe,
    subscriptions,
    update,
    views,
)
from triplewire.cli.peer import group as peer_group
from triplewire.cli.pipeline import group as pipeline
from triplewire.cli.rules import group as rules
from triplewire.cli.space import group as space
from triplewire.cli.upkeep import backup

app = typer.Typer(
    name="triplewire",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 fine or yes, 1 the work failed or no, 2 the call was wrong. "
    "Results go to standard output, everything else to standard error.",
)

app.command("demo", cls=Job, epilog=demo.EXAMPLES)(demo.demo_command)
app.command("match", cls=ManyPathsJob, epilog=match.EXAMPLES)(match.match_command)
app.command("explain", cls=Job, epilog=explain.EXAMPLES)(explain.explain_command)
app.command("subsumes", cls=Question, epilog=subsumes.EXAMPLES)(subsumes.subsumes_command)
app.command("why", cls=Question, epilog=why.EXAMPLES)(why.why_command)
app.command("covers", cls=Question, epilog=covers.EXAMPLES)(covers.covers_command)
app.command("generate", cls=Job, epilog=generate.EXAMPLES)(generate.generate_command)
app.add_typer(pipeline.app, name="pipeline")
app.add_typer(rules.app, name="rules")
app.add_typer(network.app, name="network")
app.add_typer(space.app, name="space")
app.add_typer(peer_group.app, name="peer")
app.command("serve", cls=Job, epilog=serve.EXAMPLES)(serve.serve_command)
app.command("backup", cls=Job, epilog=backup.BACKUP_EXAMPLES)(backup.backup_command)
app.command("restore", cls=Job, epilog=backup.RESTORE_EXAMPLES)(backup.restore_command)
app.command("publish", cls=Job, epilog=publish.EXAMPLES)(publish.publish_command)
app.command("subscribe", cls=Job, epilog=subscribe.EXAMPLES)(subscribe.subscribe_command)
app.add_typer(subscriptions.app, name="subscriptions")
app.command("query", cls=Job, epilog=query.EXAMPLES)(query.query_command)
app.command("update", cls=Job, epilog=update.EXAMPLES)(update.update_command)
app.command("withdraw", cls=Job, epilog=update.WITHDRAW_EXAMPLES)(update.withdraw_command)
app.add_typer(schema.app, name="schema")
app.add_typer(privileges.app, name="privileges")
app.add_typer(graph.app, name="graph")
app.command("changes", cls=Job, epilog=changes.EXAMPLES)(changes.changes_command)
app.add_typer(views.app, name="views")
app.add_typer(jsap.app, name="jsap")
app.command("feed", cls=Job, epilog=feed.EXAMPLES)(feed.feed_command)
app.add_typer(clients.app, name="clients")
app.command("mcp", cls=Job, epilog=mcp.EXAMPLES)(mcp.mcp_command)
app.command("dead-letters", cls=Job, epilog=dead_letters.EXAMPLES)(dead_letters.dead_letters_command)
app.command("man", cls=Job, epilog=manual.EXAMPLES)(manual.man_command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"triplewire {__version__}")
        raise typer.Exit


@app.callback()
def triplewire(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and leave.")
    ] = False,
) -> None:
    """Tripwires on RDF: leave standing queries, and see which events set them off."""


def _prepare_streams() -> None:
    # A stream that the caller closed is None; its number must not go to the next file that is opened.
    sys.stdin = sys.stdin or _nowhere("r")
    sys.stdout = sys.stdout or _nowhere("w")
    sys.stderr = sys.stderr or _nowhere("w")
    if isinstance(sys.stdout, TextIOWrapper):
        # A terminal that cannot show a character gets its escape, not a crash.
        sys.stdout.reconfigure(errors="backslashreplace")


def _nowhere(mode: str) -> TextIO:
    return cast(TextIO, Path(os.devnull).open(mode, encoding="utf-8"))


def main() -> None:
    """Run the program."""
    _prepare_streams()
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
