"""`triplewire explain`: how is a subscription matched, and what does it require of an event?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Annotated, Any

import typer
from msgspec import to_builtins

from triplewire.algebra.queries import Core, FastQuery
from triplewire.algebra.subscriptions import Subscription
from triplewire.cli.inputs import Problems, read_subscriptions
from triplewire.cli.invocation import FAILED
from triplewire.cli.names import shortened
from triplewire.cli.screen import labelled, output, plain, report, write_json
from triplewire.matching.explain import Explanation, explain

EXAMPLES = """[bold]Examples[/bold]

triplewire explain alerts/koubarakis.rq

triplewire explain alerts/ --json | jq 'select(.unindexed) | .id'
"""

_LANES = {
    "fast": "fast: compiled to patterns and a constraint",
    "general": "general: compiled to operators, evaluated on events that have what it requires",
}


def explain_command(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file with one or more subscriptions, or a folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Show how a subscription is matched, and what it requires of an event.

    A subscription is looked at only for events that have what it requires.
    One that requires nothing is unindexed: it is looked at for every event.
    """
    problems = Problems()
    found = read_subscriptions([path], problems)
    report(problems.sentences)
    if problems.sentences:
        raise typer.Exit(FAILED)
    if as_json:
        write_json(map(explanation_object, found))
        return
    for subscription in found:
        _show(subscription)


def explanation_object(subscription: Subscription) -> dict[str, Any]:
    """An explanation as it is written to a line of JSON."""
    return {"id": subscription.id, **to_builtins(explain(subscription))}


def _show(subscription: Subscription) -> None:
    console = output()
    console.print(plain(subscription.id, style="bold"))
    for name, text in described(subscription):
        console.print(labelled(f"  {name:<12}", "dim", shortened(text)), soft_wrap=True)


def described(subscription: Subscription) -> Iterator[tuple[str, str]]:
    """An explanation for people: names and texts, a line each."""
    explanation = explain(subscription)
    yield "lane", _LANES[explanation.lane]
    yield "indexed", "no: looked at for every event" if explanation.unindexed else "yes"
    if isinstance(subscription.query, FastQuery):
        yield from _core(subscription.query.core, explanation)
    else:
        wanted = explanation.requires or ["what no event has: it can never match"]
        yield from zip(chain(["requires"], repeat("or")), wanted, strict=False)
        if explanation.by_oxigraph:
            yield "by Oxigraph", ", ".join(explanation.by_oxigraph)


def _core(core: Core, explanation: Explanation) -> Iterator[tuple[str, str]]:
    yield from zip(chain(["requires"], repeat("and")), explanation.patterns or ["nothing"], strict=False)
    yield from (("in graph", str(graph)) for graph in core.graphs)
    yield "constraint", explanation.constraints or "none"
