"""`triplewire mcp`: a node as a server of the Model Context Protocol, over standard input and output."""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import Annotated

import typer

from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, require_url, secret_of

EXAMPLES = """[bold]Examples[/bold]

triplewire mcp --node http://127.0.0.1:8080

triplewire mcp --node https://events.example --secret-file agent.secret --read-only
"""


def mcp_command(
    read_only: Annotated[
        bool, typer.Option("--read-only", help="The agent may ask and try, but not subscribe or acknowledge.")
    ] = False,
    publish: Annotated[
        bool, typer.Option("--publish", help="The agent may publish, as far as the node lets this client.")
    ] = False,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Let an agent use a node: a server of the Model Context Protocol over standard input and output.

    The agent that starts it can query, try a standing query over what has happened, subscribe, and is told of matches
    as updates of resources; what it has not acknowledged is there after a restart. It has the rights of the client
    whose secret it is given. Needs the extra mcp.
    """
    require_url(node)
    if read_only and publish:
        raise typer.BadParameter("an agent that may only read cannot publish", param_hint="--publish")
    # Standard output is the protocol's.
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    asyncio.run(_serve(node, secret_of(secret_file), read_only=read_only, publish=publish))


async def _serve(url: str, secret: str | None, *, read_only: bool, publish: bool) -> None:
    # It imports what other commands do without.
    from triplewire.client import AsyncClient
    from triplewire.client.mcp.server import serve
    from triplewire.client.mcp.tools import CHANGING, PUBLISHING, READING

    tools = READING if read_only else (*READING, *CHANGING)
    async with AsyncClient(url, secret) as client:
        await serve(client, (*tools, *PUBLISHING) if publish else tools)
