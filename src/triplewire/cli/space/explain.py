"""`triplewire space explain`: what a query fetches from the space, in which order, and which zones it touches."""

from __future__ import annotations

from typing import Annotated

import typer
from msgspec import to_builtins

from triplewire.cli.invocation import text_of
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import output, plain, write_json
from triplewire.cli.space.tiling import zone_of

EXAMPLES = """[bold]Examples[/bold]

triplewire space explain 'SELECT ?who { ?paper <http://purl.org/dc/elements/1.1/creator> ?who }'

triplewire space explain query.rq --node http://127.0.0.1:8081
"""


def explain_command(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A SPARQL query, or a file that ends in .rq.")],
    as_json: Annotated[bool, typer.Option("--json", help="Everything as one JSON object.")] = False,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Explain how a query is answered by the space that a node is in; for its administrator.

    The patterns in the order in which they are fetched, what bounds each of them, how many of the zones it touches,
    and what does not prune, numeric ranges above all.
    """
    # It imports the whole front end of SPARQL.
    from triplewire.network.queries.explain import explain

    text = text_of(query, ".rq")
    with connect(node, secret_file) as client:
        view = client.space()
    explanation = explain(text, [zone_of(zone) for one in view.nodes for zone in one.zones])
    if as_json:
        write_json([to_builtins(explanation)])
    else:
        output().print(plain(str(explanation)), soft_wrap=True)
