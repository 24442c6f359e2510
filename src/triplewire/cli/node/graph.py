"""`triplewire graph`: the graphs of a node's living graph: get, put, post, delete, patch."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from triplewire.cli.invocation import Job
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.node.update import IdempotencyKey
from triplewire.cli.screen import waiting, write_json
from triplewire.rdf.formats import format_named
from triplewire.wire.answers import ChangeReceipt

app = typer.Typer(no_args_is_help=True, help="The graphs of a node's living graph: get, put, post, delete, patch.")

Name = Annotated[str | None, typer.Option("--graph", metavar="IRI", help="A named graph. Default: the default graph.")]
File = Annotated[Path, typer.Argument(metavar="FILE|-", help="An RDF file, or - for standard input.")]
Format = Annotated[str, typer.Option("--format", metavar="FORMAT", help="The RDF format; a file's suffix decides.")]

_GET = """[bold]Examples[/bold]

triplewire graph get --graph urn:catalogue > catalogue.ttl
"""
_PUT = """[bold]Examples[/bold]

triplewire graph put catalogue.ttl --graph urn:catalogue
"""
_POST = """[bold]Examples[/bold]

triplewire graph post more.ttl --graph urn:catalogue
"""
_DELETE = """[bold]Examples[/bold]

triplewire graph delete --graph urn:catalogue
"""
_PATCH = """[bold]Examples[/bold]

triplewire changes --node http://127.0.0.1:8081 | triplewire graph patch -
"""


@app.command("get", cls=Job, epilog=_GET)
def get_command(
    name: Name = None, form: Format = "turtle", node: NodeUrl = DEFAULT_NODE, secret_file: SecretFile = None
) -> None:
    """Print the triples of a graph."""
    with connect(node, secret_file) as client:
        sys.stdout.buffer.write(client.graph_document(name, format_named(form).media_types[0]))


@app.command("put", cls=Job, epilog=_PUT)
def put_command(
    file: File,
    name: Name = None,
    form: Format = "turtle",
    key: IdempotencyKey = None,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Give a graph the content of a file, whatever it had before."""
    with connect(node, secret_file) as client:
        with waiting(f"sending {file}"):
            receipt = client.put_graph(name, *_document(file, form), idempotency_key=key)
        _show(receipt)


@app.command("post", cls=Job, epilog=_POST)
def post_command(
    file: File,
    name: Name = None,
    form: Format = "turtle",
    key: IdempotencyKey = None,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Add the triples of a file to a graph."""
    with connect(node, secret_file) as client:
        with waiting(f"sending {file}"):
            receipt = client.add_to_graph(name, *_document(file, form), idempotency_key=key)
        _show(receipt)


@app.command("delete", cls=Job, epilog=_DELETE)
def delete_command(
    name: Name = None, key: IdempotencyKey = None, node: NodeUrl = DEFAULT_NODE, secret_file: SecretFile = None
) -> None:
    """Remove a graph; the default graph becomes empty."""
    with connect(node, secret_file) as client:
        _show(client.delete_graph(name, idempotency_key=key))


@app.command("patch", cls=Job, epilog=_PATCH)
def patch_command(
    file: Annotated[Path, typer.Argument(metavar="FILE|-", help="An RDF Patch, or - for standard input.")],
    key: IdempotencyKey = None,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Apply an RDF Patch to the whole living graph, as one change."""
    content = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    with connect(node, secret_file) as client:
        with waiting(f"sending {file}"):
            receipt = client.patch(content, idempotency_key=key)
        _show(receipt)


def _document(file: Path, form: str) -> tuple[bytes | Path, str | None]:
    """What to send, and its format where no suffix says so."""
    return (sys.stdin.buffer.read(), form) if str(file) == "-" else (file, None)


def _show(receipt: ChangeReceipt) -> None:
    write_json([msgspec.to_builtins(receipt)])
