"""`triplewire network key`: make the key that a network's super-peers share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from triplewire.cli.screen import diagnostics, plain

EXAMPLES = """[bold]Examples[/bold]

triplewire network key network.key

triplewire serve --data ./a --key network.key --network-address tcp://192.0.2.1:7070
"""


def key_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to keep it. A file that is there is left alone.")],
) -> None:
    """Make a new network's key: 256 random bits, in a file that only you may read.

    Whoever has the file can be a super-peer of the network. Copy it to each of them over a way that you trust.
    """
    make_key(file)
    diagnostics().print(plain(f"{file}: the key of a new network; keep it to its super-peers"))


def make_key(file: Path) -> None:
    """Write a new key to a new file."""
    from triplewire.node.transport.keys import NetworkKey

    NetworkKey.new().write(file)
