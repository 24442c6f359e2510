"""`triplewire network show`: the cube, the indices and the poset, as one super-peer knows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer
from msgspec import to_builtins

from triplewire.cli.names import shortened
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import output, plain, show_table, write_json
from triplewire.wire.networks import IndexView, NetworkView

EXAMPLES = """[bold]Examples[/bold]

triplewire network show --node http://127.0.0.1:8080

triplewire network show --secret-file admin.secret --json | jq .members
"""
_LEVELS = {"schema": "schemas", "property": "properties", "value": "property/values"}


def show_command(
    limit: Annotated[int, typer.Option(min=0, max=10_000, help="Rows of an index and of the poset, at most.")] = 200,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as one JSON object.")] = False,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Show the network as a super-peer knows it; for its administrator.

    The cube with everybody's place, the advertisement indices as the paper's Table 1 has them, the subscriptions in
    their order with where they came from, and how many messages there were.
    """
    with connect(node, secret_file) as client:
        view = client.network(limit)
    if as_json:
        write_json([to_builtins(view)])
        return
    show(view)


def show(view: NetworkView) -> None:
    """Print all of it."""
    stands = f"place {view.slot}, label {view.label or '(none)'}" if view.slot is not None else view.stage
    _print(f"super-peer {view.id} of network {view.network}: {stands}, at {view.address}", "bold")
    show_cube(view)
    _show_index("SP/P index: what peers of this super-peer advertise", "peers", view.peers)
    _show_index("SP/SP index: what is advertised in each dimension", "dimensions", view.dimensions)
    _print(f"poset: {view.subscriptions} subscriptions, narrower ones below wider ones", "bold")
    for line in view.poset:
        _print(f"  {shortened(line)}")
    _print("messages", "bold")
    show_table(("kind", "sent", "received"), _messages(view))


def show_cube(view: NetworkView) -> None:
    """Print members by place, with the dimensions in which this super-peer has chosen them."""
    chosen: dict[str, list[str]] = {}
    for neighbour in view.neighbours:
        chosen.setdefault(neighbour.id, []).append(str(neighbour.dimension))
    rows = (
        (
            "-" if member.slot is None else str(member.slot),
            member.label or "",
            "this one" if member.id == view.id else ", ".join(chosen.get(member.id, ())),
            member.id,
            member.address,
            member.status,
            "" if member.heard is None else str(member.heard),
        )
        for member in view.members
    )
    show_table(("place", "label", "neighbour in dimension", "super-peer", "address", "status", "heard to"), rows)


def _show_index(title: str, whose: str, index: IndexView) -> None:
    _print(title, "bold")
    rows = ((_LEVELS[row.level], shortened(row.element), ", ".join(row.targets)) for row in index.rows)
    show_table(("level", "element", whose), rows)
    if index.more:
        _print(f"and {index.more} more")


def _messages(view: NetworkView) -> Iterable[tuple[str, str, str]]:
    for kind in sorted({*view.sent, *view.received}):
        yield kind, str(view.sent.get(kind, 0)), str(view.received.get(kind, 0))


def _print(text: str, style: str = "") -> None:
    output().print(plain(text, style), soft_wrap=True)
