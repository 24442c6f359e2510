"""The founding papers' own examples: what matches, with bindings, and why the rest does not. `make demo` runs this."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from triplewire import Advertisement, Event, Match, Matcher, Subscription, Taxonomy
from triplewire.algebra.reasoning.covering import explain_covers
from triplewire.cli.names import short_solution, shortened
from triplewire.languages.files import load_subscriptions
from triplewire.matching.explain import why_not
from triplewire.rdf.prefixes import WELL_KNOWN

HERE = Path(__file__).parent / "papers"

DC = WELL_KNOWN["dc"]
LOM = "http://ltsc.ieee.org/2002/09/lom-base#"
OURS = {
    "isl": "http://www.intelligence.tuc.gr/publications/",
    "lom": LOM,
    "gt": "http://example.org/gtopss/",
    "ec": "http://example.org/eventcloud/",
}
PREFIXES = {**WELL_KNOWN, **OURS}

Row = tuple[str, str, str]
# By the names of subscription and event.
Matches = Mapping[tuple[str, str], Match]


def main() -> None:
    console = Console(highlight=False)
    taxonomy = Taxonomy.parse(HERE / "taxonomies" / "gtopss-figure-6.ttl")
    subscriptions = load_subscriptions([HERE / "subscriptions"])
    events = {path.stem: event for path in sorted((HERE / "events").iterdir()) for event in Event.parse(path)}
    matcher = Matcher(taxonomy)
    for subscription in subscriptions:
        matcher.add(subscription)

    console.print(f"{len(subscriptions)} subscriptions in three languages, {len(events)} events, one taxonomy:")
    console.print("the examples of three papers, from the files in examples/papers.", style="dim", end="\n\n")
    found = {(match.subscription_id, name): match for name, event in events.items() for match in matcher.match(event)}
    console.print(table("What matched", ("subscription", "event", "bindings"), matched(found)))
    console.print(table("Why the others did not", ("subscription", "event", "why not"), missed(matcher, events, found)))
    console.print(Text("G-ToPSS figure 5(b), without the taxonomy of figure 6", style="bold"))
    console.print(Text(f"  {without_taxonomy(subscriptions, events)}"), end="\n\n")
    title = "Which advertisements cover Chirita's example 1"
    console.print(table(title, ("advertisement", "covers", "why"), coverage(subscriptions)))
    console.print("The paper prints example 4 as covering, too; by its definition 6 it does not.", end="\n\n")
    for prefix in OURS:
        console.print(f"{prefix + ':':<5}{PREFIXES[prefix]}", style="dim")


def matched(found: Matches) -> Iterator[Row]:
    """Each match, with a line for each solution."""
    for (subscription, event), match in sorted(found.items()):
        yield subscription, event, "\n".join(short_solution(solution, PREFIXES) for solution in match.solutions)


def missed(matcher: Matcher, events: Mapping[str, Event], found: Matches) -> Iterator[Row]:
    """For each subscription, the reasons, each beside the events that it holds for."""
    for subscription in matcher.subscriptions:
        reasons: dict[str, list[str]] = defaultdict(list)
        for name, event in events.items():
            if (subscription.id, name) not in found:
                reasons[why_not(subscription, event, matcher.taxonomy)].append(name)
        for reason, names in reasons.items():
            yield subscription.id, "\n".join(names), shortened(reason, PREFIXES)


def without_taxonomy(subscriptions: list[Subscription], events: Mapping[str, Event]) -> str:
    subscription = next(s for s in subscriptions if s.id == "gtopss-figure-5b")
    return f"no match: {shortened(why_not(subscription, events['gtopss-figure-5c']), PREFIXES)}"


def coverage(subscriptions: list[Subscription]) -> Iterator[Row]:
    """Examples 3, 4 and 5."""
    subscription = next(s for s in subscriptions if s.id == "chirita-example-1")
    advertisements = {
        "example 3: schemas dc, lom": Advertisement.schemas([DC, LOM]),
        "example 4: properties dc:subject, lom:context": Advertisement.properties([f"{DC}subject", f"{LOM}context"]),
        "example 5: values": Advertisement.parse(HERE / "advertisements" / "chirita-example-5.ttl"),
    }
    for name, advertisement in advertisements.items():
        verdict = explain_covers(advertisement, subscription)
        yield name, "yes" if verdict.holds else "no", shortened(verdict.reason, PREFIXES)


def table(title: str, headers: Row, rows: Iterable[Row]) -> Table:
    """A table in which what stands in the first column is named once, above the rows that share it."""
    shown = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for header in headers:
        shown.add_column(header, overflow="fold")
    for name, group in groupby(rows, key=lambda row: row[0]):
        for number, (_, second, third) in enumerate(group):
            shown.add_row(*map(Text, ("" if number else name, second, third)))
        shown.add_section()
    return shown


if __name__ == "__main__":
    main()
