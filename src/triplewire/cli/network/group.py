"""`triplewire network …`: keys for networks of super-peers, a whole network on this machine, and what one knows."""

from __future__ import annotations

import typer

from triplewire.cli.invocation import Job
from triplewire.cli.network.key import EXAMPLES as KEY_EXAMPLES
from triplewire.cli.network.key import key_command
from triplewire.cli.network.show import EXAMPLES as SHOW_EXAMPLES
from triplewire.cli.network.show import show_command
from triplewire.cli.network.up import EXAMPLES as UP_EXAMPLES
from triplewire.cli.network.up import up_command

app = typer.Typer(
    name="network",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Make a network's key, start a network on this machine, and look at one.",
)

app.command("key", cls=Job, epilog=KEY_EXAMPLES)(key_command)
app.command("up", cls=Job, epilog=UP_EXAMPLES)(up_command)
app.command("show", cls=Job, epilog=SHOW_EXAMPLES)(show_command)
