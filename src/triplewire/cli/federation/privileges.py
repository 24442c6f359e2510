"""`triplewire privileges`: what other super-peers may do with the data of this one's group: get, put."""

from __future__ import annotations

import sys
from typing import Annotated

import msgspec
import typer

from triplewire.cli.invocation import Job, text_of
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.errors import InputError

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="What other super-peers may do with the data of this one's group: get, put.",
)

_GET = """[bold]Examples[/bold]

triplewire privileges get > privileges.json
"""
_PUT = """[bold]Examples[/bold]

triplewire privileges put privileges.json

echo '{"otherwise": "private", "nodes": {"http://example.org/LO": "read-only"}}' | triplewire privileges put -

[bold]A file with all that there is[/bold]

{"otherwise": "private",

 "nodes": {"http://example.org/LO": "read-only", "http://example.org/subject": "read-write"},

 "resources": {"http://example.org/users/128": "read-write"},

 "details": [{"resource": "http://example.org/users/128", "property": "http://example.org/email",
 "access": "private"}]}
"""


@app.command("get", cls=Job, epilog=_GET)
def get_command(node: NodeUrl = DEFAULT_NODE, secret_file: SecretFile = None) -> None:
    """Print what others may do, as JSON that `put` takes; for administrators."""
    with connect(node, secret_file) as client:
        found = client.federation.privileges()
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n")


@app.command("put", cls=Job, epilog=_PUT)
def put_command(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="Privileges as JSON, in a file; - is input.")],
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Let other super-peers do this from now on, and nothing else; for administrators.

    An access is private, read-only or read-write. Of what a file says, the most specific counts: one property of one
    resource (`details`), then a resource, then a class or property (`nodes`), then `otherwise`.
    """
    text = text_of(file, file)
    try:
        msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise InputError(wanted="privileges as JSON", found=str(error), source=file) from None
    with connect(node, secret_file) as client:
        client.federation.grant(text)
