"""`triplewire update` and `withdraw`: change the living graph of a node by SPARQL Update or by RDFTL, or do not."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from triplewire.cli.federation import transactions
from triplewire.cli.federation.scope import MOST_WAIT, Scope, ScopeOption, require_network
from triplewire.cli.invocation import FAILED, text_of
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import complain, write_json

EXAMPLES = """[bold]Examples[/bold]

triplewire update 'INSERT DATA { <urn:ann> <urn:knows> <urn:bob> }'

triplewire update tidy.ru

triplewire update today.rdftl --key today

triplewire update today.rdftl --scope network --wait 30

triplewire update --language rdftl 'DELETE resource(http://example.org/lo/1);;'
"""
WITHDRAW_EXAMPLES = """[bold]Examples[/bold]

triplewire update large.ru --key tuesday & triplewire withdraw tuesday

triplewire withdraw sp-mzuhvlpymk6xo3epygfy5h4oeaejofef/12
"""
_WAIT = 10.0
_SUFFIXES = {".ru": "sparql", ".rdftl": "rdftl"}


class UpdateLanguage(StrEnum):
    """What an update is written in."""

    SPARQL = "sparql"
    RDFTL = "rdftl"


IdempotencyKey = Annotated[
    str | None,
    typer.Option("--key", metavar="KEY", help="Under the same key it is done once, however often it is sent."),
]


def update_command(
    update: Annotated[
        str, typer.Argument(metavar="UPDATE", help="An update, a file that ends in .ru or .rdftl, or - for input.")
    ],
    language: Annotated[
        UpdateLanguage | None, typer.Option("--language", help="Default: by the file's suffix, otherwise sparql.")
    ] = None,
    key: IdempotencyKey = None,
    scope: ScopeOption = Scope.NODE,
    wait: Annotated[
        float | None,
        typer.Option(
            "--wait", metavar="SECONDS", min=0, max=MOST_WAIT, help="In the network, for its end. [default: 10]"
        ),
    ] = None,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Change a node's living graph, by SPARQL Update as one change, or by the transactions of an RDFTL file.

    What came of it is printed as one JSON object. If a transaction of an RDFTL file fails, the others stay, and the
    exit code is 1. With --scope network all of an RDFTL file is one transaction, whose rules may be triggered anywhere
    in the network; printed is its identifier, and how it stands when it ends or the time is over.
    """
    require_network(scope, "--wait", wait is not None)
    chosen = language or UpdateLanguage(_SUFFIXES.get(Path(update).suffix, "sparql"))
    if scope is Scope.NETWORK and chosen is UpdateLanguage.SPARQL:
        raise typer.BadParameter("--scope network wants RDFTL: a file that ends in .rdftl, or --language rdftl")
    text = text_of(update, *_SUFFIXES)
    with connect(node, secret_file) as client:
        if scope is Scope.NETWORK:
            transactions.submit(client, text, _WAIT if wait is None else wait, key)
            return
        if chosen is UpdateLanguage.SPARQL:
            write_json([msgspec.to_builtins(client.update(text, idempotency_key=key))])
            return
        outcome = client.update_rdftl(text, idempotency_key=key)
    write_json([msgspec.to_builtins(outcome)])
    failed = [transaction for transaction in outcome.transactions if transaction.status == "aborted"]
    for transaction in failed:
        complain(f"transaction {transaction.transaction} was undone: {transaction.error}")
    if failed:
        raise typer.Exit(FAILED)


def withdraw_command(
    key: Annotated[
        str,
        typer.Argument(metavar="KEY|ID", help="The --key under which the update was sent, or one of the network's."),
    ],
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Withdraw an update that has not ended: what waits is dropped, what is executed is undone.

    Prints which of the two it was. If it has ended, nothing happens to it, and the exit code is 1.
    A transaction of the network, such as sp-…/12, is undone with all that has to abort with it, also after its commit.
    """
    from triplewire.client.federation.calls import is_unit

    with connect(node, secret_file) as client:
        if is_unit(key):
            transactions.withdraw(client, key)
            return
        write_json([{"key": key, "was": client.withdraw_update(key)}])
