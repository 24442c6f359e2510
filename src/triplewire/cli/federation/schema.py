"""`triplewire schema get --scope network`: the merged schema, with who has data of what."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import to_builtins

from triplewire.cli.screen import printable, write_json

if TYPE_CHECKING:
    from triplewire.client import Client
    from triplewire.wire.network_rules import SchemaNode


def show(client: Client, *, as_json: bool) -> None:
    """Print N-Triples, after remarks that say who has data of each class and property; or JSON."""
    found = client.federation.schema()
    if as_json:
        write_json([to_builtins(found)])
        return
    for node in found.nodes:
        sys.stdout.write(f"# <{printable(node.iri)}>: {'; '.join(_held(node)) or 'nobody has data of it'}\n")
    sys.stdout.write(found.schema)


def _held(node: SchemaNode) -> Iterator[str]:
    if node.peers:
        yield f"here {', '.join(node.peers)}"
    if node.super_peers:
        yield f"elsewhere {', '.join(node.super_peers)}"
