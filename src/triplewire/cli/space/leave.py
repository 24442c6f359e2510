"""`triplewire space leave`: a node leaves its event space for good."""

from __future__ import annotations

import time

from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import diagnostics, output, plain
from triplewire.wire.spaces import SpaceDeparture

EXAMPLES = """[bold]Examples[/bold]

triplewire space leave --node http://127.0.0.1:8081

triplewire space leave --node https://node-3.example.org --secret-file admin.secret
"""

_LOOK_SECONDS = 0.5


def leave_command(node: NodeUrl = DEFAULT_NODE, secret_file: SecretFile = None) -> None:
    """Let a node leave its event space for good, and wait until others have all that it had; for its administrator.

    The node takes no more events, and its subscriptions get no more from other nodes. When the command ends, the node
    can be stopped and its folder deleted. Ctrl-C ends the waiting only: the node goes on leaving.
    """
    told: SpaceDeparture | None = None
    with connect(node, secret_file) as client:
        while not (departure := client.leave_space()).is_complete:
            if departure != told:
                diagnostics().print(plain(_progress(departure)))
                told = departure
            time.sleep(_LOOK_SECONDS)
    output().print(plain(f"{departure.id} has left its space: the node can be stopped"), soft_wrap=True)


def _progress(departure: SpaceDeparture) -> str:
    return f"leaving: {departure.quads:,} quadruples to hand over, {departure.under_way:,} events to store"
