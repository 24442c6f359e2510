"""`triplewire rules …`: what RDFTL rules mean, and what they do."""

from __future__ import annotations

import typer

from triplewire.cli.federation import relevance
from triplewire.cli.invocation import Job
from triplewire.cli.rules import kept_trace, registered
from triplewire.cli.rules.check import EXAMPLES as CHECK_EXAMPLES
from triplewire.cli.rules.check import check_command
from triplewire.cli.rules.run import DRY_RUN_EXAMPLES, RUN_EXAMPLES, dry_run_command, run_command

app = typer.Typer(
    name="rules",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Check RDFTL rules against a schema, run them over a repository, and register them at a node.",
)

app.command("check", cls=Job, epilog=CHECK_EXAMPLES)(check_command)
app.command("run", cls=Job, epilog=RUN_EXAMPLES)(run_command)
app.command("put", cls=Job, epilog=registered.PUT_EXAMPLES)(registered.put_command)
app.command("get", cls=Job, epilog=registered.GET_EXAMPLES)(registered.get_command)
app.command("list", cls=Job, epilog=registered.LIST_EXAMPLES)(registered.list_command)
app.command("delete", cls=Job, epilog=registered.DELETE_EXAMPLES)(registered.delete_command)
app.command("trace", cls=Job, epilog=kept_trace.EXAMPLES)(kept_trace.trace_command)
app.command("relevant", cls=Job, epilog=relevance.EXAMPLES)(relevance.relevant_command)
app.command("dry-run", cls=Job, epilog=DRY_RUN_EXAMPLES)(dry_run_command)
