"""The founding papers' own examples: what matches, with bindings, and why the rest does not. `make demo` runs this."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from triplewire import Advertisement, Event, Matcher, Subscription, Taxonomy
from triplewire.algebra.covering import explain_covers
from triplewire.cli.names import WELL_KNOWN, short_solution, shortened
from triplewire.languages.files import load_subscriptions
from triplewire.matching.explain import why_not

HERE = Path(__file__).parent / "papers"

DC = WELL_KNOWN["dc"]
LOM = "http://ltsc.ieee.org/2002/09/lom-base#"
PREFIXES = {
    **WELL_KNOWN,
    "isl": "http://www.intelligence.tuc.gr/publications/",
    "lom": LOM,
    "gt": "http://example.org/gtopss/",
    "ec": "http://example.org/eventcloud/",
}

Row = tuple[str, str, str]


def main() -> None:
    console = Console(highlight=False)
    taxonomy = Taxonomy.parse(HERE / "taxonomies" / "gtopss-figure-6.ttl")
    subscriptions = load_subscriptions([HERE / "subscriptions"])
    events = {path.stem: event for path in sorted((HERE / "events").iterdir()) for event in Event.parse(path)}

    matcher = Matcher(taxonomy)
    for subscription in subscriptions:
        matcher.add(subscription)
    matched, missed = outcomes(matcher, events)

    console.print(Rule("What matched"))
    console.print(table(("subscription", "event", "bindings"), matched))
    console.print(Rule("Why the others did not"))
    console.print(table(("subscription", "event", "why not"), missed))
    console.print(Rule("Figure 5(b) without the taxonomy of figure 6"))
    console.print(Text(without_taxonomy(subscriptions, events)), end="\n\n")
    console.print(Rule("Which advertisements cover Chirita's example 1"))
    console.print(table(("advertisement", "covers", "why"), coverage(subscriptions)))


def outcomes(matcher: Matcher, events: dict[str, Event]) -> tuple[list[Row], list[Row]]:
    """Every subscription against every event: the bindings, or the reason."""
    found = {(m.subscription_id, name): m.solutions for name, event in events.items() for m in matcher.match(event)}
    matched, missed = [], []
    for subscription in matcher.subscriptions:
        for name, event in events.items():
            solutions = found.get((subscription.id, name))
            if solutions is None:
                reason = why_not(subscription, event, matcher.taxonomy)
                missed.append((subscription.id, name, shortened(reason, PREFIXES)))
            else:
                bindings = "\n".join(short_solution(solution, PREFIXES) for solution in solutions)
                matched.append((subscription.id, name, bindings))
    return matched, missed


def without_taxonomy(subscriptions: list[Subscription], events: dict[str, Event]) -> str:
    subscription = next(s for s in subscriptions if s.id == "gtopss-figure-5b")
    return f"no match: {shortened(why_not(subscription, events['gtopss-figure-5c']), PREFIXES)}"


def coverage(subscriptions: list[Subscription]) -> Iterable[Row]:
    """Examples 3, 4 and 5. Example 4 does not follow from definition 6: neither of its properties is in example 1."""
    subscription = next(s for s in subscriptions if s.id == "chirita-example-1")
    advertisements = {
        "example 3: schemas dc, lom": Advertisement.schemas([DC, LOM]),
        "example 4: properties dc:subject, lom:context": Advertisement.properties([f"{DC}subject", f"{LOM}context"]),
        "example 5: values": Advertisement.parse(HERE / "advertisements" / "chirita-example-5.ttl"),
    }
    for name, advertisement in advertisements.items():
        verdict = explain_covers(advertisement, subscription)
        yield name, "yes" if verdict.holds else "no", shortened(verdict.reason, PREFIXES)


def table(headers: Row, rows: Iterable[Row]) -> Table:
    """A table in which a subscription is named once and its rows stand together."""
    shown = Table(header_style="bold", expand=True)
    for header, ratio in zip(headers, (3, 3, 5), strict=True):
        shown.add_column(header, overflow="fold", ratio=ratio)
    for name, group in groupby(rows, key=lambda row: row[0]):
        for number, (_, second, third) in enumerate(group):
            shown.add_row(*map(Text, ("" if number else name, second, third)))
        shown.add_section()
    return shown


if __name__ == "__main__":
    main()
