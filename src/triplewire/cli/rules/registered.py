"""`triplewire rules put`, `get`, `list` and `delete`: the rules of a node."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from msgspec.structs import replace

from triplewire.cli.federation import rules as network
from triplewire.cli.federation.scope import Scope, ScopeOption, require_network, require_node
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.screen import labelled, output, show_table, warn, write_json
from triplewire.errors import InputError
from triplewire.languages.rdftl import format_rule, parse_rules, read_rules
from triplewire.languages.rdftl.syntax import Rule

if TYPE_CHECKING:
    from triplewire.client import RuleStatus


class AbortChoice(StrEnum):
    """Who aborts with whom."""

    PARENTCHILD = "PARENTCHILD"
    CHILDPARENT = "CHILDPARENT"
    MUTUAL = "MUTUAL"
    INDEPENDENT = "INDEPENDENT"


Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The rule's name; in the network its global identifier as well.")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
Abort = Annotated[
    AbortChoice | None,
    typer.Option(
        "--abort",
        case_sensitive=False,
        help="In the network: who aborts with whom; INDEPENDENT unless the rule says so.",
    ),
]
_HEADERS = ("name", "owner", "listens to", "state", "rule")

PUT_EXAMPLES = """[bold]Examples[/bold]

triplewire rules put messages.rdftl --node http://127.0.0.1:8080

triplewire rules put alarm.rdftl --name alarm --listen

triplewire rules put messages.rdftl --scope network --abort MUTUAL
"""
GET_EXAMPLES = """[bold]Examples[/bold]

triplewire rules get new_object > new_object.rdftl

triplewire rules get new_object --scope network --json | jq -r .id
"""
LIST_EXAMPLES = """[bold]Examples[/bold]

triplewire rules list

triplewire rules list --json | jq -r 'select(.quarantined) | .id'

triplewire rules list --scope network
"""
DELETE_EXAMPLES = """[bold]Examples[/bold]

triplewire rules delete new_object

triplewire rules delete new_object --scope network
"""


def put_command(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="A file of RDFTL rules, `;;` after each; - is input.")],
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="What to call the one rule there.")] = None,
    listen: Annotated[bool, typer.Option("--listen", help="Published events trigger them as well.")] = False,
    scope: ScopeOption = Scope.NODE,
    abort: Abort = None,
    as_json: AsJson = False,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Register the rules of a file at a node, each under its name; one's own of that name is replaced.

    What the analysis warns of goes to standard error. If the node refuses a rule, those before it stay registered.
    With --scope network they are registered with the network of the node, and each global identifier is printed.
    """
    require_node(scope, "--listen", listen)
    require_network(scope, "--abort", abort is not None)
    found = _named(_renamed(_read(file), name))
    with connect(node, secret_file) as client:
        if scope is Scope.NETWORK:
            network.put_all(client, found, None if abort is None else abort.value, as_json=as_json)
            return
        for rule in found:
            status = client.put_rule(rule.id, format_rule(rule), listens_to_events=listen)
            if as_json:
                write_json([msgspec.to_builtins(status)])
            else:
                output().print(labelled(f"{'new' if status.is_new else 'replaced':<10}", "dim", status.name))
            for warning in _warnings(status):
                warn(f"{status.name}: {warning}")


def get_command(
    name: Name,
    scope: ScopeOption = Scope.NODE,
    as_json: AsJson = False,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Print a rule as RDFTL; with --json also whose it is, and why it does not fire any more, if so."""
    with connect(node, secret_file) as client:
        if scope is Scope.NETWORK:
            network.get(client, name, as_json=as_json)
            return
        status = client.rule(name)
    if as_json:
        write_json([_shown(status)])
    else:
        sys.stdout.write(status.text if status.text.endswith("\n") else f"{status.text}\n")


def list_command(
    scope: ScopeOption = Scope.NODE,
    as_json: AsJson = False,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """List this client's rules, in the order of registration; an administrator's list has everybody's.

    With --scope network an administrator also sees replicas of other super-peers' rules, which sleep where nobody
    has data of what their events need.
    """
    with connect(node, secret_file) as client:
        if scope is Scope.NETWORK:
            network.show_list(client, as_json=as_json)
            return
        found = client.rules()
    if as_json:
        write_json(map(_shown, found))
        return
    rows = ((r.name, r.owner, r.listens, r.quarantined or "fires", " ".join(r.text.split())) for r in found)
    show_table(_HEADERS, rows)


def delete_command(
    name: Name, scope: ScopeOption = Scope.NODE, node: NodeUrl = DEFAULT_NODE, secret_file: SecretFile = None
) -> None:
    """Forget a rule and its firings. What it has done stays.

    A rule of the network goes everywhere, and can be deleted at the super-peer where it was put.
    """
    with connect(node, secret_file) as client:
        if scope is Scope.NETWORK:
            client.federation.delete_rule(name)
            return
        client.delete_rule(name)


def _read(file: str) -> Sequence[Rule]:
    found = parse_rules(sys.stdin.read(), source="standard input") if file == "-" else read_rules(Path(file))
    if not found:
        raise InputError(wanted="at least one rule", found="none", source=file)
    return found


def _named(found: Sequence[Rule]) -> Sequence[Rule]:
    """Names stand in the paths of requests."""
    for rule in found:
        if "/" in rule.id:
            raise InputError(wanted="the name of a rule without /", found=repr(rule.id))
    return found


def _renamed(found: Sequence[Rule], name: str | None) -> Sequence[Rule]:
    if name is None:
        return found
    if len(found) > 1:
        raise InputError(wanted="one rule, to be called by --name", found=f"{len(found):,}")
    return [replace(found[0], id=name)]


def _shown(status: RuleStatus) -> dict[str, object]:
    found = msgspec.to_builtins(status)
    return {key: value for key, value in found.items() if key not in ("analysis", "not_carried", "is_new")}


def _warnings(status: RuleStatus) -> Iterator[str]:
    for left in status.not_carried:
        yield f"events of other nodes do not come here that match {left.interest}: {left.reason}"
    analysis = status.analysis
    if analysis is None:
        return
    if analysis.never_fires is not None:
        yield f"never fires: {analysis.never_fires}"
    yield from analysis.pitfalls
    if analysis.cycle is not None:
        yield f"may trigger itself without end: {' -> '.join(analysis.cycle)}"
    yield from (f"not well-defined: {name} fails: {reason}" for name, reason in analysis.conditions.items())
    for conflict in analysis.conflicts:
        yield f"does not commute with {conflict.rule}: {'; '.join(conflict.reasons.values())}"
