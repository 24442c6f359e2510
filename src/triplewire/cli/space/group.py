"""`triplewire space …`: an event space on this machine, its tiling, and how it answers a query."""

from __future__ import annotations

import typer

from triplewire.cli.invocation import Job
from triplewire.cli.space.explain import EXAMPLES as EXPLAIN_EXAMPLES
from triplewire.cli.space.explain import explain_command
from triplewire.cli.space.leave import EXAMPLES as LEAVE_EXAMPLES
from triplewire.cli.space.leave import leave_command
from triplewire.cli.space.show import EXAMPLES as SHOW_EXAMPLES
from triplewire.cli.space.show import show_command
from triplewire.cli.space.up import EXAMPLES as UP_EXAMPLES
from triplewire.cli.space.up import up_command

app = typer.Typer(
    name="space",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Start an event space on this machine, look at its tiling, explain its queries, and let a node leave.",
)

app.command("up", cls=Job, epilog=UP_EXAMPLES)(up_command)
app.command("show", cls=Job, epilog=SHOW_EXAMPLES)(show_command)
app.command("explain", cls=Job, epilog=EXPLAIN_EXAMPLES)(explain_command)
app.command("leave", cls=Job, epilog=LEAVE_EXAMPLES)(leave_command)
