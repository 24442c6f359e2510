"""`triplewire clients reset-admin`: another secret for the administrator, who has lost it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from triplewire.cli.screen import output, plain

EXAMPLES = """[bold]Examples[/bold]

triplewire clients reset-admin --data ./node
"""


def reset_admin_command(
    data: Annotated[
        Path, typer.Option("--data", envvar="TRIPLEWIRE_DATA", metavar="PATH", help="The node's data folder.")
    ],
) -> None:
    """Give a node's administrator another secret, and print it; the old one is good for nothing any more.

    The node must not run: who may write its folder may do this, and nobody from outside.
    """
    from triplewire.node.access.administrator import reset

    reset(data, lambda secret: output().print(plain(secret), soft_wrap=True))
