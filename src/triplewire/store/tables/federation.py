"""What a super-peer keeps of rules across super-peers: its inputs since a snapshot, and what its own graph has told it.

The log of inputs and the snapshot are the state of the machine that decides: a restart takes the inputs after the
snapshot once more. The rest belongs to the living graph as one of its peers, and is written in the transactions that
change the graph: what was told, by serial, and the classes of resources that other sites describe.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from triplewire.store.bulk_insert import insert
from triplewire.store.disk import Connection
from triplewire.store.tables import metadata

_ANSWERED = "federation answered"
_RECEIVED = "federation received"
_FORGOTTEN = "federation forgotten"
_PAGE = 1_000


# The log of inputs


def append(connection: Connection, first: int, inputs: Sequence[bytes]) -> None:
    """Write inputs at the end of the log; the first one has this number."""
    insert(connection, "INSERT INTO federation_log (number, input)", list(enumerate(inputs, first)))


def inputs(connection: Connection, after: int) -> Iterator[tuple[int, bytes]]:
    """The inputs that follow a number, each with its own."""
    while rows := connection.execute(
        "SELECT number, input FROM federation_log WHERE number > ? ORDER BY number LIMIT ?", (after, _PAGE)
    ).fetchall():
        yield from rows
        after = rows[-1][0]


def log_bytes(connection: Connection) -> int:
    """How many bytes the inputs after the snapshot have."""
    return int(connection.execute("SELECT coalesce(sum(length(input)), 0) FROM federation_log").fetchone()[0])


def snapshot(connection: Connection) -> tuple[int, bytes] | None:
    """The last snapshot, with the number of the last input that is in it."""
    row = connection.execute("SELECT upto, snapshot FROM federation_snapshots").fetchone()
    return None if row is None else (int(row[0]), bytes(row[1]))


def put_snapshot(connection: Connection, upto: int, data: bytes) -> None:
    """Keep a snapshot, in place of the one before and of the inputs that are in it."""
    connection.execute("DELETE FROM federation_snapshots")
    connection.execute("INSERT INTO federation_snapshots (upto, snapshot) VALUES (?, ?)", (upto, data))
    connection.execute("DELETE FROM federation_log WHERE number <= ?", (upto,))


# What the living graph has told


class ToldRecord(Struct, frozen=True):
    """What was told under a serial, and what else has to be known to see the events in it, if anything."""

    serial: int
    message: bytes
    kept: bytes | None


def put_told(connection: Connection, record: ToldRecord) -> None:
    """Keep what was told."""
    connection.execute(
        "INSERT INTO federation_told (serial, message, kept) VALUES (?, ?, ?)",
        (record.serial, record.message, record.kept),
    )


def told(connection: Connection) -> list[ToldRecord]:
    """All that is kept of what was told, oldest first."""
    rows = connection.execute("SELECT serial, message, kept FROM federation_told ORDER BY serial").fetchall()
    return [ToldRecord(*row) for row in rows]


def forget_told(connection: Connection, upto: int) -> None:
    """Drop what was told up to a serial.

    The last serial stays, since the next one follows from it, and so does the last answer.
    """
    connection.execute(
        "DELETE FROM federation_told WHERE serial <= ? AND serial <> ? "
        "AND serial < (SELECT max(serial) FROM federation_told)",
        (upto, answered(connection)),
    )


def received(connection: Connection) -> int:
    """Up to which serial the super-peer has all of it."""
    return int(metadata.get(connection, _RECEIVED) or 0)


def put_received(connection: Connection, upto: int) -> None:
    """Note up to which serial the super-peer has all of it."""
    metadata.put(connection, _RECEIVED, upto)


def forgotten(connection: Connection) -> int:
    """Up to which serial nobody asks for what has changed."""
    return int(metadata.get(connection, _FORGOTTEN) or 0)


def put_forgotten(connection: Connection, upto: int) -> None:
    """Note up to which serial nobody asks for what has changed."""
    metadata.put(connection, _FORGOTTEN, upto)


def answered(connection: Connection) -> int:
    """The serial of the last answer to a request; 0 if there was none."""
    return int(metadata.get(connection, _ANSWERED) or 0)


def put_answered(connection: Connection, serial: int) -> None:
    """Note the serial of the last answer to a request."""
    metadata.put(connection, _ANSWERED, serial)


# What other sites describe


def foreign_classes(connection: Connection) -> list[tuple[str, str]]:
    """Resources that other sites describe, by IRI, each with the IRI of a class."""
    return connection.execute("SELECT node, class FROM federation_foreign ORDER BY node, class").fetchall()


def put_foreign_classes(connection: Connection, pairs: Iterable[tuple[str, str]]) -> None:
    """Note classes of resources that other sites describe."""
    insert(connection, "INSERT OR IGNORE INTO federation_foreign (node, class)", list(pairs))
