"""What rules did in a schedule, in the words in which it is kept."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from triplewire.rules.changes import Changes
from triplewire.rules.execution import Entry, Outcome


class Told(Struct, frozen=True, kw_only=True):
    """A firing in words and lines of N-Triples, as it is kept."""

    transaction: str
    cause: str
    depth: int
    delta: dict[str, str]
    status: str
    error: str | None
    inserted: tuple[str, ...]
    deleted: tuple[str, ...]


def told(outcome: Outcome) -> Iterator[tuple[str, bytes]]:
    """Each firing of a schedule: the rule, and a `Told` as JSON."""
    names = {entry.number: entry.rule or entry.transaction for entry in outcome.entries}
    for entry in outcome.entries:
        if entry.rule is not None and entry.cause is not None:
            yield entry.rule, msgspec.json.encode(_in_words(entry, names[entry.cause]))


def delta_in_words(entry: Entry) -> dict[str, str]:
    """`$delta` by its parts; the whole is `delta`."""
    return {component.value or "delta": str(term) for component, term in (entry.delta or {}).items()}


def _in_words(entry: Entry, cause: str) -> Told:
    done: list[Changes] = [deed.changes for deed in entry.deeds]
    return Told(
        transaction=entry.transaction,
        cause=cause,
        depth=entry.depth,
        delta=delta_in_words(entry),
        status=entry.status.value,
        error=None if entry.error is None else str(entry.error),
        inserted=tuple(str(triple) for one in done for triple in one.inserted),
        deleted=tuple(str(triple) for one in done for triple in one.deleted),
    )
