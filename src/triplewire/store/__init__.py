"""What must survive: SQLite in one folder, one writer with group commit, readers beside it.

    database    the folder: its lock, its writer, its readers
    writer      every change goes through here, many to a commit
    schema      the tables and their migrations
    log         events, append-only, with checksums
    registry    subscriptions and how far each has come
    outbox      notifications on their way
    deadletters notifications that nobody took
    identities  clients, their rights and the hashes of their secrets
    keys        idempotency keys
    advertisements
                what clients have advertised that they will publish
    retention   what goes when it is old or too much
    rulebook    rules, and what each has done
    changes     the repository that rules work on, and a journal of what changed it
    wal         damage in SQLite's own log that SQLite would pass over
    disk, clock handed in, so that doubles can stand in

Nothing here knows what matching is: answers are bytes.
"""

from triplewire.store.clock import Clock, SystemClock
from triplewire.store.database import Database
from triplewire.store.disk import Connection, Disk, LocalDisk

__all__ = ["Clock", "Connection", "Database", "Disk", "LocalDisk", "SystemClock"]
