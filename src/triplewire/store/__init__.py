"""What must survive: SQLite in one folder, one writer with group commit, readers beside it.

    backup         a copy of a data folder, made while the node runs, and the way back
    bulk_insert    many rows in one statement
    checkpoints    what is in the write-ahead log goes into the database, beside the commits instead of between them
    clock          what the wall clock says, and how much time has passed, which are two things
    database       one folder, one writer, readers beside it
    disk           how the store gets a connection to its database
    histograms     how long something takes, counted in buckets, as Prometheus wants it
    retention      the oldest events go when they are too old, or when there are too many bytes of them
    schema         the tables, and how a folder of an earlier version is brought up to date
    space          what a node of an event space must find again
    sqlite_errors  what SQLite's errors mean to us: the disk is full, the disk failed, or the data is damaged
    tables         functions from a connection to rows
    wal            a look at SQLite's write-ahead log before SQLite opens it
    writer         a thread through which every change goes, many to a commit

Nothing here knows what matching is: answers are bytes.
"""

from triplewire.store.clock import Clock, SystemClock
from triplewire.store.database import Database
from triplewire.store.disk import Connection, Disk, LocalDisk

__all__ = ["Clock", "Connection", "Database", "Disk", "LocalDisk", "SystemClock"]
