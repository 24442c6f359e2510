"""What came of a schedule, in words and as JSON: each transaction, each firing, and because of what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from triplewire.cli.names import short
from triplewire.languages.rdftl.syntax import Component
from triplewire.rdf.terms import Term, Triple
from triplewire.rules.changes import Changes
from triplewire.rules.execution import ScheduleOutcome, Status, TraceEntry

_INDENT = "  "


def entries_shown(entries: Iterable[TraceEntry], prefixes: Mapping[str, str], *, in_full: bool) -> Iterator[str]:
    """A line for each transaction and firing, below its cause; in full also `$delta` and the triples."""
    known = {entry.number: entry for entry in entries}
    caused: dict[int | None, list[TraceEntry]] = {}
    for entry in known.values():
        caused.setdefault(entry.cause, []).append(entry)
    waiting = caused.get(None, [])[::-1]
    while waiting:
        entry = waiting.pop()
        yield f"{_INDENT * entry.depth}{_head(entry, None if entry.cause is None else known[entry.cause])}"
        if in_full:
            yield from (f"{_INDENT * (entry.depth + 1)}{line}" for line in _details(entry, prefixes))
        waiting += caused.get(entry.number, [])[::-1]


def changes_shown(changes: Changes, prefixes: Mapping[str, str]) -> Iterator[str]:
    """What was asserted and what is asserted no longer."""
    for sign, triples in (("-", changes.edits.deleted), ("+", changes.edits.inserted)):
        for triple in sorted(triples, key=str):
            yield f"{sign} {_triple(triple, prefixes)}"


def summary(outcome: ScheduleOutcome) -> str:
    """What was done, in one line."""
    transactions = [entry for entry in outcome.entries if entry.cause is None]
    undone = sum(entry.status is Status.ABORTED for entry in transactions)
    edits = outcome.changes.edits
    return (
        f"{_count(len(transactions), 'transaction')}, {undone:,} of them undone; "
        f"{_count(len(outcome.firings), 'firing')}; {_count(len(edits.inserted), 'triple')} more, "
        f"{len(edits.deleted):,} fewer"
    )


def entry_object(entry: TraceEntry) -> dict[str, Any]:
    """An entry as it is written to a line of JSON."""
    return {
        "number": entry.number,
        "transaction": entry.transaction,
        "rule": entry.rule,
        "cause": entry.cause,
        "depth": entry.depth,
        "delta": None if entry.delta is None else {name: str(term) for name, term in _parts(entry.delta)},
        "inserted": [f"{triple} ." for action in entry.actions for triple in action.changes.edits.inserted],
        "deleted": [f"{triple} ." for action in entry.actions for triple in action.changes.edits.deleted],
        "status": entry.status.value,
        "error": None if entry.error is None else str(entry.error),
    }


def _head(entry: TraceEntry, cause: TraceEntry | None) -> str:
    if cause is None:
        return f"transaction {entry.transaction}: {_outcome(entry)}"
    by = f"rule {cause.rule}" if cause.rule else f"transaction {cause.transaction}"
    return f"rule {entry.rule} fired because of {by}: {_outcome(entry)}"


def _details(entry: TraceEntry, prefixes: Mapping[str, str]) -> Iterator[str]:
    if entry.delta is not None:
        yield "$delta: " + ", ".join(f"{name} {short(term, prefixes)}" for name, term in _parts(entry.delta))
    for action in entry.actions:
        yield from changes_shown(action.changes, prefixes)


def _outcome(entry: TraceEntry) -> str:
    if entry.status is Status.ABORTED:
        return f"undone: {entry.error}"
    inserted = sum(len(action.changes.edits.inserted) for action in entry.actions)
    deleted = sum(len(action.changes.edits.deleted) for action in entry.actions)
    return f"{_count(inserted, 'triple')} more, {deleted:,} fewer"


def _parts(delta: Mapping[Component, Term]) -> Iterator[tuple[str, Term]]:
    """Of an arc its parts, since the whole is only its source again."""
    for component, term in delta.items():
        if component is not Component.WHOLE or len(delta) == 1:
            yield component.value or "node", term


def _triple(triple: Triple, prefixes: Mapping[str, str]) -> str:
    return " ".join(short(term, prefixes) for term in (triple.subject, triple.predicate, triple.object))


def _count(number: int, one: str) -> str:
    return f"{number:,} {one if number == 1 else one + 's'}"
