"""`triplewire update --scope network`, `withdraw` and `rules trace` of a transaction of the network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer
from msgspec import to_builtins

from triplewire.cli.federation.names import ShortNames
from triplewire.cli.federation.tree import as_dot, as_svg, lines, texts
from triplewire.cli.invocation import FAILED
from triplewire.cli.screen import complain, output, plain, warn, write_json

if TYPE_CHECKING:
    from triplewire.client import Client


def submit(client: Client, text: str, wait: float, key: str | None) -> None:
    """Execute updates as a transaction of the network, and print how it stands."""
    made = client.federation.submit(text, wait=wait, idempotency_key=key)
    write_json([to_builtins(made)])
    if made.status == "active":
        warn(f"it has not ended within {wait:g} s; triplewire rules trace {made.transaction} tells how it goes on")
    if made.status == "aborted":
        complain(f"transaction {made.transaction} was undone: {made.reason}")
        raise typer.Exit(FAILED)


def withdraw(client: Client, transaction: str) -> None:
    """Have a transaction abort, and print how it stands."""
    found = client.federation.withdraw(transaction)
    write_json([to_builtins(found)])
    if found.status == "committed":
        complain(f"transaction {transaction} stays{f': {found.reason}' if found.reason else ''}")
        raise typer.Exit(FAILED)


def trace(client: Client, transaction: str, wait: float, drawn: Path | None, *, as_json: bool) -> None:
    """Print and draw how a transaction went."""
    found = client.federation.trace(transaction, wait=wait)
    short = ShortNames(texts(found))
    if drawn is not None:
        draw = as_svg if drawn.suffix.lower() == ".svg" else as_dot
        drawn.write_text(draw(found, short), encoding="utf-8")
    if as_json:
        write_json([to_builtins(found)])
        return
    for line in lines(found, short):
        output().print(plain(line), soft_wrap=True)
    for line in short.legend:
        output().print(plain(line, "dim"), soft_wrap=True)
    for super_peer in found.unanswered:
        warn(f"{short(super_peer)} has not answered in time; what came of it there is not shown")
