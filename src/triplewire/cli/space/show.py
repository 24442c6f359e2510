"""`triplewire space show`: the tiling and the load of each zone, as a table and as a drawing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from msgspec import to_builtins

from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import diagnostics, output, plain, show_table, warn, write_json
from triplewire.cli.space.drawing import short_name, svg
from triplewire.cli.space.tiling import DIMENSIONS
from triplewire.wire.spaces import SpaceNodeView, SpaceView, ZoneView

EXAMPLES = """[bold]Examples[/bold]

triplewire space show --node http://127.0.0.1:8080

triplewire space show --zones --svg tiling.svg

triplewire space show --secret-file admin.secret --json | jq '.nodes[].quads'
"""


def show_command(
    zones: Annotated[bool, typer.Option("--zones", help="Also every zone, with its borders.")] = False,
    svg_file: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Draw the tiling there.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as one JSON object.")] = False,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Show the event space that a node is in; for its administrator.

    Every node with its zones, what it stores beside the mean, and who keeps its replica. The drawing has the tree of
    splits, and the zones between their borders in two pairs of dimensions.
    """
    with connect(node, secret_file) as client:
        view = client.space()
    if svg_file is not None:
        svg_file.write_text(svg(view), encoding="utf-8")
        diagnostics().print(plain(f"{svg_file}: the tiling"))
    if as_json:
        write_json([to_builtins(view)])
        return
    show(view)
    if zones:
        show_zones(view)


def show(view: SpaceView) -> None:
    """Print the nodes."""
    quads = sum(one.quads for one in view.nodes)
    head = f"space {view.space}: {len(view.nodes)} nodes, {quads:,} quadruples, seen from {view.id}"
    output().print(plain(head, "bold"), soft_wrap=True)
    mean = quads / max(1, len(view.nodes))
    show_table(
        ("node", "address", "stage", "zones", "quads", "of the mean", "replica at", "neighbours"),
        [_row(one, mean) for one in view.nodes],
    )
    if view.silent:
        warn(f"these did not answer: {', '.join(view.silent)}")
    if view.trouble is not None:
        warn(f"nothing is stored at this node: {view.trouble}")


def show_zones(view: SpaceView) -> None:
    """Print every zone."""
    rows = [
        (short_name(one.id), str(zone.epoch), f"{zone.quads:,}", *(_side(zone, at) for at in range(len(DIMENSIONS))))
        for one in view.nodes
        for zone in one.zones
    ]
    show_table(("node", "epoch", "quads", *DIMENSIONS), rows)


def _row(one: SpaceNodeView, mean: float) -> tuple[str, ...]:
    return (
        one.id,
        one.address,
        one.stage,
        str(len(one.zones)),
        f"{one.quads:,}",
        f"{one.quads / mean:.2f}" if mean else "-",
        "-" if one.holder is None else short_name(one.holder),
        str(len(one.neighbours)),
    )


def _side(zone: ZoneView, dimension: int) -> str:
    lower, upper = zone.lower[dimension], zone.upper[dimension]
    if not lower and upper is None:
        return "all"
    return f"{lower or 'start'} .. {'end' if upper is None else upper}"
