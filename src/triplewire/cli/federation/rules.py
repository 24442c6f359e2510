"""`triplewire rules put`, `get`, `list` and `delete` with `--scope network`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import to_builtins

from triplewire.cli.federation.names import ShortNames
from triplewire.cli.screen import labelled, output, plain, show_table, warn, write_json
from triplewire.languages.rdftl import format_rule
from triplewire.languages.rdftl.syntax import Rule

if TYPE_CHECKING:
    from triplewire.client import Client, NetworkRule
    from triplewire.wire.network_rules import AbortName

_HEADERS = ("id", "name", "owner", "abort", "state", "rule")


def put_all(client: Client, found: Sequence[Rule], abort: AbortName | None, *, as_json: bool) -> None:
    """Register rules with the network, each under its name."""
    for rule in found:
        made = client.federation.put_rule(rule.id, format_rule(rule), abort=abort)
        if as_json:
            write_json([to_builtins(made)])
        else:
            output().print(labelled(f"{made.name}  ", "", made.id), soft_wrap=True)
        if not made.is_awake:
            warn(f"{made.name}: it sleeps here: no peer of this super-peer has data of all that its event needs")


def get(client: Client, rule: str, *, as_json: bool) -> None:
    """Print a rule as RDFTL, or all that is known of it as JSON."""
    found = client.federation.rule(rule)
    if as_json:
        write_json([to_builtins(found)])
    else:
        sys.stdout.write(found.text if found.text.endswith("\n") else f"{found.text}\n")


def show_list(client: Client, *, as_json: bool) -> None:
    """Print the client's rules; for an administrator all that the super-peer holds."""
    found = client.federation.rules()
    if as_json:
        write_json(map(to_builtins, found))
        return
    short = ShortNames(text for rule in found for text in (rule.id, rule.owner))
    show_table(_HEADERS, [_row(rule, short) for rule in found])
    for line in short.legend:
        output().print(plain(line, "dim"), soft_wrap=True)


def _row(rule: NetworkRule, short: ShortNames) -> tuple[str, ...]:
    state = "awake" if rule.is_awake else "asleep"
    return short(rule.id), rule.name, short(rule.owner), rule.abort, state, " ".join(rule.text.split())
