"""`triplewire rules …`: what RDFTL rules mean, and what they do."""

from __future__ import annotations

import typer

from triplewire.cli.invocation import Job
from triplewire.cli.rules.check import EXAMPLES as CHECK_EXAMPLES
from triplewire.cli.rules.check import check_command
from triplewire.cli.rules.run import DRY_RUN_EXAMPLES, RUN_EXAMPLES, dry_run_command, run_command

app = typer.Typer(
    name="rules",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Check RDFTL rules against a schema, and run them over a repository.",
)

app.command("check", cls=Job, epilog=CHECK_EXAMPLES)(check_command)
app.command("run", cls=Job, epilog=RUN_EXAMPLES)(run_command)
app.command("dry-run", cls=Job, epilog=DRY_RUN_EXAMPLES)(dry_run_command)
