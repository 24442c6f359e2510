"""`triplewire schema`: what the default graph of a node's living graph conforms to: get, put."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from triplewire.cli.federation import schema as network
from triplewire.cli.federation.scope import Scope, ScopeOption, require_network
from triplewire.cli.invocation import Job
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.rdf.formats import format_of_path

app = typer.Typer(no_args_is_help=True, help="What the default graph of a node conforms to: get, put.")

_GET = """[bold]Examples[/bold]

triplewire schema get > schema.nt

triplewire schema get --scope network
"""
_PUT = """[bold]Examples[/bold]

triplewire schema put selene.ttl
"""


@app.command("get", cls=Job, epilog=_GET)
def get_command(
    scope: ScopeOption = Scope.NODE,
    as_json: Annotated[bool, typer.Option("--json", help="That of the network, as one JSON object.")] = False,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Print the schema as N-Triples; nothing, if the graph need not conform to any.

    That of the network begins with remarks that say who has data of each class and property.
    """
    require_network(scope, "--json", as_json)
    with connect(node, secret_file) as client:
        if scope is Scope.NETWORK:
            network.show(client, as_json=as_json)
            return
        for triple in client.schema():
            sys.stdout.write(f"{triple} .\n")


@app.command("put", cls=Job, epilog=_PUT)
def put_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An RDFS schema, in an RDF file of any format.")],
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Use another schema, if all that is kept conforms to it and every rule can be read by it; for administrators."""
    form = format_of_path(file).name
    with connect(node, secret_file) as client:
        client.put_schema(file, form)
