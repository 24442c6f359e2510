"""`triplewire match`: which subscriptions do these events satisfy, and with what answers?"""

from __future__ import annotations

from collections.abc import Container, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from triplewire.algebra.queries import Construct
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.cli.inputs import (
    Base,
    ContextMap,
    EventBytes,
    EventQuads,
    Problems,
    TaxonomyPath,
    read_events,
    read_subscriptions,
    read_taxonomy,
)
from triplewire.cli.invocation import FAILED
from triplewire.cli.names import short, short_solution
from triplewire.cli.screen import output, plain, report, show_table, tracked, waiting, warn, write_json
from triplewire.matching.matcher import Matcher
from triplewire.matching.matches import Match
from triplewire.rdf.events import Event
from triplewire.rdf.limits import limits_for
from triplewire.rdf.parsing.contexts import Contexts
from triplewire.rdf.parsing.reading_options import ReadingOptions
from triplewire.rdf.sparql_json import json_binding

EXAMPLES = """[bold]Examples[/bold]

triplewire match --subscriptions alerts/ --events today.nq

triplewire match -s alerts.jsonl -e monday.nq tuesday.ttl --taxonomy classes.ttl --format json

zcat events.nq.gz | triplewire match -s alerts/ -e - --format json | jq .subscription
"""


class Format(StrEnum):
    """How matches are shown."""

    TABLE = "table"
    JSON = "json"


def match_command(
    subscriptions: Annotated[
        list[Path],
        typer.Option(
            "--subscriptions",
            "-s",
            metavar="PATH...",
            help="Files (.rq, .formula, .graph, .jsonl, .parquet) or folders of them.",
        ),
    ],
    events: Annotated[
        list[Path],
        typer.Option(
            "--events",
            "-e",
            metavar="PATH...",
            help="RDF files (.nq, .nt, .trig, .ttl, .jsonld, .rdf), folders of them, or - for N-Quads from stdin.",
        ),
    ],
    taxonomy: TaxonomyPath = None,
    form: Annotated[
        Format, typer.Option("--format", "-f", help="A table for people, or one JSON object a line.")
    ] = Format.TABLE,
    base: Base = None,
    contexts: ContextMap = None,
    event_bytes: EventBytes = None,
    event_quads: EventQuads = None,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Match what could be read; report the rest, and still exit with 1.")
    ] = False,
) -> None:
    """Show which subscriptions the events satisfy, and with what answers.

    Bad input is listed with file, line and reason.
    Nothing is matched then, unless --keep-going is given.
    """
    problems = Problems()
    reading = ReadingOptions(limits=limits_for(event_bytes, event_quads), base=base, contexts=Contexts.load(contexts))
    with waiting("reading"):
        known = read_taxonomy(taxonomy)
        wanted = read_subscriptions(subscriptions, problems)
        found = read_events(events, problems, reading)
    with waiting("preparing subscriptions"):
        matcher = _subscribed(wanted, known, problems)
    if keep_going or not problems.sentences:
        matches = _matches(matcher, found, problems)
    report(problems.sentences)
    if keep_going or not problems.sentences:
        _show(form, matches, matcher, found)
    if problems.sentences:
        if not keep_going:
            warn("nothing was matched; with --keep-going the rest is")
        raise typer.Exit(FAILED)


def _subscribed(subscriptions: list[Subscription], taxonomy: Taxonomy | None, problems: Problems) -> Matcher:
    matcher = Matcher(taxonomy)
    for subscription in subscriptions:
        with problems.noted(subscription.id):
            matcher.add(subscription)
    return matcher


def _matches(matcher: Matcher, events: list[Event], problems: Problems) -> list[Match]:
    """Every match. A subscription that takes too much work is a problem: what it would have matched is missing."""
    matches = [match for event in tracked(events, "matching") for match in matcher.match(event)]
    problems.sentences.extend(f"{name}: {reason}" for name, reason in matcher.quarantined.items())
    return matches


def _show(form: Format, matches: list[Match], matcher: Matcher, events: list[Event]) -> None:
    if form is Format.JSON:
        constructs = {s.id for s in matcher.subscriptions if isinstance(s.query.form, Construct)}
        write_json(match_object(match, constructs) for match in matches)
        return
    if matches:
        show_table(("subscription", "event", "bindings"), (_row(match) for match in matches))
    output().print(plain(summary(matches, events, len(matcher))))


def match_object(match: Match, constructs: Container[str] = ()) -> dict[str, Any]:
    """A match as it is written to a line of JSON; `constructs` tells which subscriptions are CONSTRUCT queries."""
    written: dict[str, Any] = {
        "subscription": match.subscription_id,
        "event": match.event.graph.value,
        "solutions": [json_binding(solution) for solution in match.solutions],
    }
    if match.subscription_id in constructs:
        written["construct"] = [f"{triple} ." for triple in match.construct]
    return written


def summary(matches: list[Match], events: list[Event], subscriptions: int) -> str:
    """What was done, in one line."""
    matched = len({match.event.graph for match in matches})
    return (
        f"{_count(len(matches), 'match', 'matches')}: {matched:,} of {_count(len(events), 'event')} "
        f"against {_count(subscriptions, 'subscription')}"
    )


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _row(match: Match) -> tuple[str, str, str]:
    return match.subscription_id, match.event.graph.value, "\n".join(_answers(match))


def _answers(match: Match) -> Iterator[str]:
    """One line a solution; for CONSTRUCT, the triples made."""
    if match.construct:
        for triple in match.construct:
            yield f"{' '.join(short(term) for term in triple)} ."
        return
    for solution in match.solutions:
        yield short_solution(solution) or "yes"
