"""The tables, and how a folder of an earlier version is brought up to date.

A migration is a tuple of statements; the number of migrations that a database has had is its `user_version`. A
migration that was released is never edited: what comes later is a new one at the end.
"""

from __future__ import annotations

from triplewire.errors import UnknownSchema
from triplewire.store.disk import Connection

_FIRST = (
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID",
    """CREATE TABLE events (
        position INTEGER PRIMARY KEY,
        graph TEXT NOT NULL UNIQUE,
        publisher TEXT NOT NULL,
        time TEXT NOT NULL,
        source TEXT,
        accepted REAL NOT NULL,
        nquads BLOB NOT NULL,
        checksum BLOB NOT NULL)""",
    """CREATE TABLE subscriptions (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        owner TEXT NOT NULL,
        name TEXT NOT NULL,
        language TEXT NOT NULL,
        text TEXT NOT NULL,
        options BLOB NOT NULL,
        created INTEGER NOT NULL,
        frontier INTEGER,
        cursor INTEGER NOT NULL,
        gap INTEGER NOT NULL DEFAULT 0,
        quarantined TEXT,
        UNIQUE (owner, name))""",
    """CREATE TABLE outbox (
        subscription INTEGER NOT NULL,
        position INTEGER NOT NULL,
        answer BLOB NOT NULL,
        PRIMARY KEY (subscription, position)) WITHOUT ROWID""",
    "CREATE INDEX outbox_by_position ON outbox (position)",
    """CREATE TABLE dead_letters (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        subscription INTEGER NOT NULL,
        position INTEGER NOT NULL,
        event TEXT NOT NULL,
        answer BLOB NOT NULL,
        reason TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        buried REAL NOT NULL,
        UNIQUE (subscription, position))""",
    """CREATE TABLE clients (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        public_key BLOB,
        secret_hash BLOB NOT NULL UNIQUE,
        rights BLOB NOT NULL,
        registered REAL NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE idempotency (
        publisher TEXT NOT NULL,
        key TEXT NOT NULL,
        request BLOB NOT NULL,
        receipts BLOB NOT NULL,
        accepted REAL NOT NULL,
        PRIMARY KEY (publisher, key)) WITHOUT ROWID""",
)

# A dead letter keeps its event, which retention may remove; idempotency keys expire by age.
_SECOND = (
    "ALTER TABLE dead_letters ADD COLUMN nquads BLOB",
    "CREATE INDEX dead_letters_by_subscription ON dead_letters (subscription, id)",
    "CREATE INDEX idempotency_by_age ON idempotency (accepted)",
)

# Notifications are written in the order of positions, and most are about different subscriptions: where rows stand by
# subscription each of them costs a page of its own, five kilobytes of log for one of a hundred bytes. What stands by
# subscription from here on is the index, ten times denser.
_THIRD = (
    "ALTER TABLE outbox RENAME TO outbox_before",
    "DROP INDEX outbox_by_position",
    """CREATE TABLE outbox (
        subscription INTEGER NOT NULL,
        position INTEGER NOT NULL,
        answer BLOB NOT NULL,
        PRIMARY KEY (position, subscription)) WITHOUT ROWID""",
    """INSERT INTO outbox (subscription, position, answer)
        SELECT subscription, position, answer FROM outbox_before ORDER BY position, subscription""",
    "DROP TABLE outbox_before",
    "CREATE INDEX outbox_by_subscription ON outbox (subscription, position)",
)

# Rules, what they have done, and the repository that they work on: its assertions, and a journal of what changed them.
_FOURTH = (
    """CREATE TABLE rules (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        owner TEXT NOT NULL,
        text TEXT NOT NULL,
        registered REAL NOT NULL)""",
    "CREATE TABLE assertions (triple TEXT PRIMARY KEY) WITHOUT ROWID",
    """CREATE TABLE schedules (
        position INTEGER PRIMARY KEY,
        time REAL NOT NULL,
        inserted BLOB NOT NULL,
        deleted BLOB NOT NULL,
        checksum BLOB NOT NULL)""",
    """CREATE TABLE firings (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        rule TEXT NOT NULL,
        schedule INTEGER NOT NULL,
        entry BLOB NOT NULL)""",
    "CREATE INDEX firings_by_rule ON firings (rule, number)",
)

# A rule may listen to what is published after a position of the log.
_FIFTH = ("ALTER TABLE rules ADD COLUMN since INTEGER",)

# An event may come from another super-peer; and what a client will publish is advertised there.
_SIXTH = (
    "ALTER TABLE events ADD COLUMN origin TEXT",
    """CREATE TABLE advertisements (
        owner TEXT NOT NULL,
        name TEXT NOT NULL,
        rdf TEXT NOT NULL,
        is_derived INTEGER NOT NULL,
        ends REAL,
        PRIMARY KEY (owner, name, is_derived)) WITHOUT ROWID""",
)

# What an access point knows of its peers; and where an event stood in the log of its origin, so that a peer that comes
# from another access point goes on where it was.
_SEVENTH = (
    "ALTER TABLE events ADD COLUMN origin_position INTEGER",
    "CREATE INDEX events_by_origin ON events (origin, origin_position) WHERE origin IS NOT NULL",
    """CREATE TABLE sessions (
        kind TEXT NOT NULL,
        peer TEXT NOT NULL,
        key TEXT NOT NULL,
        record BLOB NOT NULL,
        content BLOB,
        PRIMARY KEY (kind, peer, key))""",
)

# A rule that has made others' updates fail too often does not fire any more, for a reason.
_EIGHTH = (
    "ALTER TABLE rules ADD COLUMN failures INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE rules ADD COLUMN quarantined TEXT",
)

# The rules' repository becomes the default graph of the living graph. Its journal had assertions only, not what follows
# from them, so nobody could replay it; its positions go on.
_NINTH = (
    "ALTER TABLE assertions RENAME TO quads",
    "ALTER TABLE quads RENAME COLUMN triple TO quad",
    """CREATE TABLE changes (
        position INTEGER PRIMARY KEY,
        time REAL NOT NULL,
        added BLOB NOT NULL,
        removed BLOB NOT NULL,
        checksum BLOB NOT NULL)""",
    """INSERT OR REPLACE INTO facts (name, value) SELECT 'changes forgotten', max(
        coalesce((SELECT max(position) FROM schedules), 0),
        coalesce((SELECT value FROM facts WHERE name = 'schedules forgotten'), 0))""",
    "DELETE FROM facts WHERE name = 'schedules forgotten'",
    "DROP TABLE schedules",
)

# What is known of a view beside its query: when its answer was last evaluated, which counts where it asks for the time;
# and, where it joins changes, what it will say about them, as which event, and when.
_TENTH = (
    """CREATE TABLE views (
        subscription INTEGER PRIMARY KEY,
        evaluated REAL NOT NULL,
        due REAL,
        position INTEGER,
        answer BLOB)""",
)

# Since which change a quad is asserted, and by which unit of its schedule: 0 is the update itself, others are firings.
# What was there before has neither.
_ELEVENTH = (
    "ALTER TABLE quads ADD COLUMN change INTEGER",
    "ALTER TABLE quads ADD COLUMN unit INTEGER",
    "ALTER TABLE changes ADD COLUMN author TEXT",
    "ALTER TABLE changes ADD COLUMN name TEXT",
    "ALTER TABLE firings ADD COLUMN unit INTEGER",
    "ALTER TABLE firings ADD COLUMN parent INTEGER",
    "CREATE INDEX firings_by_schedule ON firings (schedule)",
)

# What a schedule did, unit by unit, so that its tree can be drawn: the firings of a rule go with the rule.
_TWELFTH = (
    """CREATE TABLE traces (
        schedule INTEGER NOT NULL,
        name TEXT NOT NULL,
        trace BLOB NOT NULL,
        PRIMARY KEY (schedule, name)) WITHOUT ROWID""",
    "CREATE INDEX traces_by_name ON traces (name, schedule)",
)

# Rules across super-peers: the inputs of the machine that decides, since its snapshot; and what the living graph, as a
# peer, has told its super-peer and knows of resources that other peers describe.
_THIRTEENTH = (
    "CREATE TABLE federation_log (number INTEGER PRIMARY KEY, input BLOB NOT NULL)",
    "CREATE TABLE federation_snapshots (upto INTEGER PRIMARY KEY, snapshot BLOB NOT NULL)",
    "CREATE TABLE federation_told (serial INTEGER PRIMARY KEY, message BLOB NOT NULL, kept BLOB)",
    """CREATE TABLE federation_foreign (
        node TEXT NOT NULL,
        class TEXT NOT NULL,
        PRIMARY KEY (node, class)) WITHOUT ROWID""",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    _FIRST,
    _SECOND,
    _THIRD,
    _FOURTH,
    _FIFTH,
    _SIXTH,
    _SEVENTH,
    _EIGHTH,
    _NINTH,
    _TENTH,
    _ELEVENTH,
    _TWELFTH,
    _THIRTEENTH,
)


def migrate(connection: Connection, migrations: tuple[tuple[str, ...], ...] = MIGRATIONS) -> None:
    """Bring the database up to date, one transaction a migration, or raise `UnknownSchema`."""
    version = version_of(connection)
    if version > len(migrations):
        raise UnknownSchema(wanted=f"a data folder of version {len(migrations)} or earlier", found=f"version {version}")
    for number, statements in enumerate(migrations[version:], start=version + 1):
        connection.execute("BEGIN IMMEDIATE")
        for statement in statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")


def version_of(connection: Connection) -> int:
    """How many migrations the database has had."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version
