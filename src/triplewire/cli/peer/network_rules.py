"""`triplewire peer rules …`, `submit`, `withdraw` and `trace`: rules and transactions of the network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from triplewire.cli.invocation import FAILED, Job, text_of
from triplewire.cli.peer.commands import Seconds, online
from triplewire.cli.peer.home import which
from triplewire.cli.screen import complain, write_json
from triplewire.errors import InputError
from triplewire.wire import peer_requests as ask
from triplewire.wire.network_rules import (
    NetworkRule,
    NetworkRules,
    NetworkTrace,
    NetworkTransaction,
    RuleRelevance,
)

if TYPE_CHECKING:
    from triplewire.client.peer import PeerProgram
    from triplewire.languages.rdftl.syntax import Rule

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Rules across super-peers, as this peer's super-peer holds them: put, list, delete, relevant.",
)
_SUFFIX = ".rdftl"
_P = "[bold]Example[/bold]\n\ntriplewire peer --home ./ann "
SUBMIT_EXAMPLE = f"{_P}submit new-object.rdftl"
WITHDRAW_EXAMPLE = f"{_P}withdraw sp-mzuhvlpymk6xo3epygfy5h4oeaejofef/12"
TRACE_EXAMPLE = f"{_P}trace sp-mzuhvlpymk6xo3epygfy5h4oeaejofef/12"
File = Annotated[str, typer.Argument(metavar="FILE|-", help="A file of RDFTL rules, `;;` after each; - is input.")]
Unit = Annotated[str, typer.Argument(metavar="UNIT", help="A transaction, sp-…/N, as submit prints it.")]
Wait = Annotated[float, typer.Option("--wait", min=0.0, metavar="SECONDS", help="How long the network may take.")]
AbortOption = Annotated[
    str | None,
    typer.Option("--abort", metavar="WORD", help="PARENTCHILD, CHILDPARENT, MUTUAL or INDEPENDENT, for all of them."),
]
_ABORTS = ("PARENTCHILD", "CHILDPARENT", "MUTUAL", "INDEPENDENT")


@app.command("put", cls=Job, epilog=f"{_P}rules put messages.rdftl --abort MUTUAL")
def put_command(ctx: typer.Context, file: File, abort: AbortOption = None, seconds: Seconds = 30.0) -> None:
    """Register the rules of a file at the super-peer, each under its name; one's own of that name is replaced.

    Prints each with its global identifier.
    """
    from triplewire.languages.rdftl import format_rule

    word = None if abort is None else abort.upper()
    if word not in (None, *_ABORTS):
        raise InputError(wanted=f"one of {', '.join(_ABORTS)}", found=repr(abort))
    found = _rules_in(file)

    async def work(peer: PeerProgram) -> None:
        for rule in found:
            request = ask.PutRule(rule.id, format_rule(rule), word)  # type: ignore[arg-type]
            _write(await peer.ask(request, NetworkRule))

    online(which(ctx).folder(), seconds, work)


@app.command("list", cls=Job, epilog=f"{_P}rules list | jq -r .id")
def list_command(ctx: typer.Context, seconds: Seconds = 30.0) -> None:
    """Print this peer's rules as the super-peer holds them, one JSON object a line."""

    async def work(peer: PeerProgram) -> None:
        for rule in (await peer.ask(ask.ListRules(), NetworkRules)).rules:
            _write(rule)

    online(which(ctx).folder(), seconds, work)


@app.command("delete", cls=Job, epilog=f"{_P}rules delete new_object")
def delete_command(
    ctx: typer.Context,
    rule: Annotated[str, typer.Argument(metavar="RULE", help="Its name, or its global identifier.")],
    seconds: Seconds = 30.0,
) -> None:
    """Unregister a rule of this peer, here and everywhere. What it has done stays."""

    async def work(peer: PeerProgram) -> None:
        await peer.ask(ask.RemoveRule(rule), ask.Removed)

    online(which(ctx).folder(), seconds, work)


@app.command("relevant", cls=Job, epilog=f"{_P}rules relevant messages.rdftl | jq .concerns")
def relevant_command(ctx: typer.Context, file: File, wait: Wait = 5.0, seconds: Seconds = 30.0) -> None:
    """Say whom each rule of a file would concern: which super-peers and peers, by which part, and why."""
    from triplewire.languages.rdftl import format_rule

    found = _rules_in(file)

    async def work(peer: PeerProgram) -> None:
        for rule in found:
            answer = await peer.ask(ask.FindRelevance(format_rule(rule), wait), RuleRelevance)
            write_json([{"rule": rule.id, **msgspec.to_builtins(answer)}])

    online(which(ctx).folder(), wait + seconds, work)


def submit_command(
    ctx: typer.Context,
    updates: Annotated[
        str, typer.Argument(metavar="UPDATES", help="RDFTL updates, a file that ends in .rdftl, or - for input.")
    ],
    wait: Wait = 10.0,
    seconds: Seconds = 30.0,
) -> None:
    """Submit a transaction that this peer executes and the network coordinates: unlike update, it can be undone.

    It is asked for at the super-peer, comes back to this peer, and aborts where what depends on it does. Prints what
    came of it; the exit code is 1 if it was aborted.
    """
    text = text_of(updates, _SUFFIX)
    _transaction(ctx, ask.SubmitUpdates(text, wait), wait + seconds)


def withdraw_command(ctx: typer.Context, unit: Unit, seconds: Seconds = 30.0) -> None:
    """Withdraw a transaction that was submitted: it is undone, with all that depends on it."""

    async def work(peer: PeerProgram) -> None:
        _write(await peer.ask(ask.WithdrawTransaction(unit), NetworkTransaction))

    online(which(ctx).folder(), seconds, work)


def trace_command(ctx: typer.Context, unit: Unit, wait: Wait = 5.0, seconds: Seconds = 30.0) -> None:
    """Print a transaction with all that it has caused across super-peers, and the abort graph, as JSON."""

    async def work(peer: PeerProgram) -> None:
        _write(await peer.ask(ask.TraceTransaction(unit, wait), NetworkTrace))

    online(which(ctx).folder(), wait + seconds, work)


def _transaction(ctx: typer.Context, request: ask.SubmitUpdates, seconds: float) -> None:
    found: list[NetworkTransaction] = []

    async def work(peer: PeerProgram) -> None:
        found.append(await peer.ask(request, NetworkTransaction))
        _write(found[0])

    online(which(ctx).folder(), seconds, work)
    if found[0].status == "aborted":
        complain(f"{found[0].transaction} was aborted: {found[0].reason}")
        raise typer.Exit(FAILED)


def _rules_in(file: str) -> tuple[Rule, ...]:
    from triplewire.languages.rdftl import parse_rules, read_rules

    found = parse_rules(sys.stdin.read(), source="standard input") if file == "-" else read_rules(Path(file))
    if not found:
        raise InputError(wanted="at least one rule", found="none", source=file)
    return found


def _write(found: msgspec.Struct) -> None:
    shown: dict[str, Any] = msgspec.to_builtins(found)
    write_json([shown])
