"""Whether a command means a node or its network."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

MOST_WAIT = 60.0


class Scope(StrEnum):
    """Where something counts."""

    NODE = "node"
    NETWORK = "network"


ScopeOption = Annotated[
    Scope, typer.Option("--scope", help="The rules of this node alone, or those of the network that it is in.")
]
Wait = Annotated[
    float, typer.Option("--wait", metavar="SECONDS", min=0, max=MOST_WAIT, help="How long others get to answer.")
]


def require_network(scope: Scope, option: str, is_given: bool) -> None:
    """Refuse an option that has a meaning across super-peers only."""
    if is_given and scope is Scope.NODE:
        raise typer.BadParameter(f"{option} wants --scope network")


def require_node(scope: Scope, option: str, is_given: bool) -> None:
    """Refuse an option that has a meaning on one node only."""
    if is_given and scope is Scope.NETWORK:
        raise typer.BadParameter(f"{option} wants --scope node")
