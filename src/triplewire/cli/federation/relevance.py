"""`triplewire rules relevant`: which super-peers and peers a rule concerns, and why."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import to_builtins

from triplewire.cli.federation.names import ShortNames
from triplewire.cli.federation.scope import Wait
from triplewire.cli.names import shortened
from triplewire.cli.node.remote import DEFAULT_NODE, NodeUrl, SecretFile, connect
from triplewire.cli.rules.inputs import prefixes_of
from triplewire.cli.screen import output, plain, show_table, warn, write_json
from triplewire.errors import InputError
from triplewire.languages.rdftl import format_rule, parse_rule, parse_rules, read_rules
from triplewire.languages.rdftl.syntax import Rule
from triplewire.rdf.prefixes import WELL_KNOWN

if TYPE_CHECKING:
    from triplewire.client import Client, RuleRelevance

EXAMPLES = """[bold]Examples[/bold]

triplewire rules relevant messages.rdftl --rule new_object

triplewire rules relevant new_object --node http://127.0.0.1:8080

triplewire rules relevant alarm.rdftl --json | jq '.concerns[] | select(.is_concerned)'
"""
_HEADERS = ("super-peer", "peer", "part", "", "reason")
_SUFFIX = ".rdftl"


def relevant_command(
    rule: Annotated[
        str,
        typer.Argument(metavar="RULE", help="A file (.rdftl), - for input, or a rule's name or global identifier."),
    ],
    name: Annotated[str | None, typer.Option("--rule", metavar="NAME", help="Which rule of the file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as one JSON object.")] = False,
    wait: Wait = 2.0,
    node: NodeUrl = DEFAULT_NODE,
    secret_file: SecretFile = None,
) -> None:
    """Say which super-peers and peers a rule concerns, or would concern, and why, or why not.

    Its event concerns whoever has data that may trigger it, each part of its condition whoever may know something of
    it, its actions whoever may have to do them. Nothing is registered.
    """
    with connect(node, secret_file) as client:
        asked = _rule(client, rule, name)
        found = client.federation.relevance(format_rule(asked), wait=wait)
    if as_json:
        write_json([to_builtins(found)])
    else:
        _show(found, {**WELL_KNOWN, **prefixes_of([asked])})


def _show(found: RuleRelevance, prefixes: Mapping[str, str]) -> None:
    rows = [
        (
            concern.super_peer,
            concern.peer,
            concern.part,
            "yes" if concern.is_concerned else "no",
            shortened(concern.reason, prefixes),
        )
        for concern in found.concerns
    ]
    short = ShortNames(text for row in (*rows, found.unanswered) for text in row)
    show_table(_HEADERS, (tuple(map(short, row)) for row in rows))
    for line in short.legend:
        output().print(plain(line, "dim"), soft_wrap=True)
    for super_peer in found.unanswered:
        warn(f"{short(super_peer)} has not answered in time")


def _rule(client: Client, rule: str, name: str | None) -> Rule:
    if rule != "-" and not rule.endswith(_SUFFIX):
        if name is not None:
            raise typer.BadParameter("--rule names a rule of a file")
        return parse_rule(client.federation.rule(rule).text)
    found = parse_rules(sys.stdin.read(), source="standard input") if rule == "-" else read_rules(Path(rule))
    chosen = [each for each in found if name in (None, each.id)]
    if len(chosen) != 1:
        wanted = "one rule in the file, or its name in --rule" if name is None else f"one rule named {name!r}"
        raise InputError(wanted=wanted, found=", ".join(each.id for each in found) or "none", source=rule)
    return chosen[0]
