"""What every command that talks to a node shares: where it is, and with which secret.

The secret comes from the environment or a file, never from an argument: every process of a machine can read those.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from triplewire.cli.invocation import NODE_VARIABLE, SECRET_VARIABLE
from triplewire.errors import InputError

if TYPE_CHECKING:
    from triplewire.client import Client

NodeUrl = Annotated[
    str, typer.Option("--node", envvar=NODE_VARIABLE, metavar="URL", help="The node's address.", show_default=True)
]
SecretFile = Annotated[
    Path | None,
    typer.Option("--secret-file", metavar="PATH", help=f"A file with the client's secret; else ${SECRET_VARIABLE}."),
]
DEFAULT_NODE = "http://127.0.0.1:8080"


def connect(url: str, secret_file: Path | None) -> Client:
    """A client of the node, with the secret of the file, or else of the environment."""
    return client_at(url, secret_of(secret_file))


def client_at(url: str, secret: str | None) -> Client:
    """A client of the node, with this secret."""
    from triplewire.client import Client

    require_url(url)
    return Client(url, secret)


def require_url(url: str) -> None:
    """Raise `InputError` for what is no address of a node."""
    if not url.startswith(("http://", "https://")):
        raise InputError(wanted=f"a node's address, http or https, in --node or ${NODE_VARIABLE}", found=repr(url))


def secret_of(file: Path | None) -> str | None:
    """The secret of the file, or else of the environment, if there is one."""
    if file is None:
        return os.environ.get(SECRET_VARIABLE) or None
    try:
        return file.read_text("ascii").strip()
    except UnicodeDecodeError:
        raise InputError(wanted="a secret in ASCII", found="other bytes", source=str(file)) from None
