"""What a super-peer keeps of rules across super-peers: its inputs since a snapshot, and what its own graph has told it.

The log of inputs and the snapshot are the state of the machine that decides: a restart takes the inputs after the
snapshot once more. The rest belongs to the living graph as one of its peers, and is written in the transactions that
change the graph: what was told, by serial, and the classes of resources that other sites describe.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from triplewire.store.bulk_insert import insert
from triplewire.store.disk import Connection
from triplewire.store.tables import metadata

_ANSWERED = "federation answered"
_RECEIVED = "federation received"
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


def put_told(connection: Connection, serial: int, message: bytes) -> None:
    """Keep what was told under a serial."""
    connection.execute("INSERT INTO federation_told (serial, message) VALUES (?, ?)", (serial, message))


def told(connection: Connection) -> list[tuple[int, bytes]]:
    """All that is kept of what was told, oldest first."""
    return connection.execute("SELECT serial, message FROM federation_told ORDER BY serial").fetchall()


def last_serial(connection: Connection) -> int:
    """The last serial that was given; 0 if none was."""
    newest = connection.execute("SELECT max(serial) FROM federation_told").fetchone()[0]
    return int(newest or 0)


def forget_told(connection: Connection, upto: int) -> None:
    """Drop what was told up to a serial. The last one stays, since the next serial follows from it."""
    connection.execute(
        "DELETE FROM federation_told WHERE serial <= ? AND serial < (SELECT max(serial) FROM federation_told)", (upto,)
    )


def received(connection: Connection) -> int:
    """Up to which serial the super-peer has all of it."""
    return int(metadata.get(connection, _RECEIVED) or 0)


def put_received(connection: Connection, upto: int) -> None:
    """Note up to which serial the super-peer has all of it."""
    metadata.put(connection, _RECEIVED, upto)


def answered(connection: Connection) -> int:
    """The number of the last request that was answered; 0 if none was."""
    return int(metadata.get(connection, _ANSWERED) or 0)


def put_answered(connection: Connection, number: int) -> None:
    """Note that a request was answered."""
    metadata.put(connection, _ANSWERED, number)


# What other sites describe


def foreign_classes(connection: Connection) -> list[tuple[str, str]]:
    """Resources that other sites describe, as N-Triples has them, each with the IRI of a class."""
    return connection.execute("SELECT node, class FROM federation_foreign ORDER BY node, class").fetchall()


def put_foreign_classes(connection: Connection, pairs: Iterable[tuple[str, str]]) -> None:
    """Note classes of resources that other sites describe."""
    insert(connection, "INSERT OR IGNORE INTO federation_foreign (node, class)", list(pairs))
