"""The tables of a space's storage. As in `triplewire.store.schema`, a migration that was released is never edited.

Terms are BLOBs, whose order in SQLite is the order of bytes, which is the order of coordinates. Quadruples stand by
graph, so that those of one event are beside each other and cost few pages to write. The indices name the graphs in
which a subject, predicate or object occurs; they are brought up to date many graphs at a time (`unindexed`), since an
entry alone costs a page, and a page costs twenty times what its quadruple does.
"""

from __future__ import annotations

_FIRST = (
    """CREATE TABLE quads (
        g BLOB NOT NULL, s BLOB NOT NULL, p BLOB NOT NULL, o BLOB NOT NULL,
        PRIMARY KEY (g, s, p, o)) WITHOUT ROWID""",
    "CREATE TABLE by_s (s BLOB NOT NULL, g BLOB NOT NULL, PRIMARY KEY (s, g)) WITHOUT ROWID",
    "CREATE TABLE by_p (p BLOB NOT NULL, g BLOB NOT NULL, PRIMARY KEY (p, g)) WITHOUT ROWID",
    "CREATE TABLE by_o (o BLOB NOT NULL, g BLOB NOT NULL, PRIMARY KEY (o, g)) WITHOUT ROWID",
    "CREATE TABLE unindexed (number INTEGER PRIMARY KEY, g BLOB NOT NULL)",
    """CREATE TABLE records (
        kind TEXT NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,
        PRIMARY KEY (kind, key)) WITHOUT ROWID""",
    """CREATE TABLE events (
        event TEXT NOT NULL PRIMARY KEY, header BLOB NOT NULL, horizon BLOB NOT NULL) WITHOUT ROWID""",
    """CREATE TABLE horizons (
        log TEXT NOT NULL, position INTEGER NOT NULL, event TEXT NOT NULL,
        PRIMARY KEY (log, position, event)) WITHOUT ROWID""",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_FIRST,)
