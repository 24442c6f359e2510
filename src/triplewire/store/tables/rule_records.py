"""The rules that are registered, as their text; and what each has done."""

from __future__ import annotations

import json
from collections.abc import Iterable

from msgspec import Struct

from triplewire.store.bulk_insert import insert
from triplewire.store.disk import Connection

_COLUMNS = "id, owner, text, registered, since, quarantined"


class RuleRecord(Struct, frozen=True):
    """A rule as it is kept. `registered`, when its text was put, is in Unix seconds.

    `since` is the position of the log after which it listens to published events, None if it does not listen.
    `quarantined` says why it does not fire any more, if so.
    """

    id: str
    owner: str
    text: str
    registered: float
    since: int | None = None
    quarantined: str | None = None


class FiringRecord(Struct, frozen=True):
    """One firing of a rule. `schedule` is the place in the journal of what it was part of; `entry` has the rest.

    `unit` is its number in the schedule, `parent` that of the firing or transaction that triggered it; None where that
    was not kept.
    """

    number: int
    rule: str
    schedule: int
    entry: bytes
    unit: int | None = None
    parent: int | None = None


class FiredUnit(Struct, frozen=True):
    """A firing, to be kept."""

    rule: str
    unit: int
    parent: int
    entry: bytes


def put(connection: Connection, record: RuleRecord) -> None:
    """Keep a rule; another one of that name is replaced, and keeps its place. Its failures are forgotten."""
    connection.execute(
        f"INSERT INTO rules ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
        "owner = excluded.owner, text = excluded.text, registered = excluded.registered, since = excluded.since, "
        "quarantined = excluded.quarantined, failures = 0",
        (record.id, record.owner, record.text, record.registered, record.since, record.quarantined),
    )


def note_failure(connection: Connection, rule: str, reason: str, most: int) -> bool:
    """Count a failure that others have paid for; whether the rule is quarantined with it, having had so many."""
    connection.execute("UPDATE rules SET failures = failures + 1 WHERE id = ?", (rule,))
    quarantined = connection.execute(
        "UPDATE rules SET quarantined = ? WHERE id = ? AND failures >= ? AND quarantined IS NULL", (reason, rule, most)
    )
    return quarantined.rowcount > 0


def delete(connection: Connection, rule: str) -> None:
    """Forget a rule and its firings."""
    connection.execute("DELETE FROM rules WHERE id = ?", (rule,))
    connection.execute("DELETE FROM firings WHERE rule = ?", (rule,))


def everyone(connection: Connection) -> list[RuleRecord]:
    """Every rule, oldest first."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM rules ORDER BY number").fetchall()
    return [RuleRecord(*row) for row in rows]


def count(connection: Connection, owner: str | None = None) -> int:
    """How many rules there are, of one client or of all."""
    return int(connection.execute("SELECT count(*) FROM rules WHERE ?1 IS NULL OR owner = ?1", (owner,)).fetchone()[0])


def find(connection: Connection, rule: str) -> RuleRecord | None:
    """A rule by its identifier."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM rules WHERE id = ?", (rule,)).fetchone()
    return None if row is None else RuleRecord(*row)


def owned_by(connection: Connection, owner: str) -> list[RuleRecord]:
    """An owner's rules, oldest first."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM rules WHERE owner = ? ORDER BY number", (owner,)).fetchall()
    return [RuleRecord(*row) for row in rows]


def note_firings(connection: Connection, schedule: int, firings: Iterable[FiredUnit]) -> None:
    """Keep what rules did in a schedule."""
    rows = [(fired.rule, schedule, fired.entry, fired.unit, fired.parent) for fired in firings]
    insert(connection, "INSERT INTO firings (rule, schedule, entry, unit, parent)", rows)


def firings(connection: Connection, rule: str, after: int, limit: int) -> list[FiringRecord]:
    """Firings of a rule, oldest first, that follow a number."""
    rows = connection.execute(
        "SELECT number, rule, schedule, entry FROM firings WHERE rule = ? AND number > ? ORDER BY number LIMIT ?",
        (rule, after, limit),
    ).fetchall()
    return [FiringRecord(*row) for row in rows]


def firings_in(connection: Connection, schedules: Iterable[int]) -> list[FiringRecord]:
    """What rules did in some schedules, as far as it is kept with its numbers."""
    rows = connection.execute(
        "SELECT number, rule, schedule, entry, unit, parent FROM firings "
        "WHERE unit IS NOT NULL AND schedule IN (SELECT value FROM json_each(?))",
        (json.dumps(list(schedules)),),
    ).fetchall()
    return [FiringRecord(*row) for row in rows]


def forget_firings(connection: Connection, schedule: int) -> None:
    """Drop the firings of schedules up to a position."""
    connection.execute("DELETE FROM firings WHERE schedule <= ?", (schedule,))
