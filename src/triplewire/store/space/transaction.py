"""The transaction that is open: changes since the last commit, which a full disk does not lose.

SQLite takes a transaction back if its COMMIT finds no space. Whoever called has gone on with what it read of its own
changes, so they must stay: statements are kept until they are committed, and are run anew when they were taken back.
Dirty pages stay in memory until COMMIT (`cache_spill`), so running them needs no space on the disk.

Error handling: a full disk raises `DiskFull`, and `commit` may be called again. Any other error ends all work for good:
after a failed fsync nothing is certain, and after a failed read SQLite may have taken the transaction back (row F2).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from triplewire.errors import DiskFull, StoreError, StoreFailed
from triplewire.store.disk import Connection
from triplewire.store.sqlite_errors import meaning

Statement = tuple[str, Sequence[tuple[Any, ...]]]
"""A statement, and the parameters of each time that it is run."""


class Transaction:
    """Runs statements on a connection. `write` only inside `with change()`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._statements: list[Statement] = []
        self._is_taken_back = False
        self._failure: StoreError | None = None
        connection.execute("PRAGMA cache_spill = OFF")
        connection.execute("PRAGMA temp_store = MEMORY")

    def fail(self, problem: StoreError) -> None:
        """End all work: every later call raises."""
        self._failure = StoreFailed(f"the space's storage has stopped: {problem}")

    @contextmanager
    def change(self) -> Iterator[None]:
        """Several statements that are one change: all of them stay, or none."""
        self._ready()
        before = len(self._statements)
        try:
            if not self._connection.in_transaction:
                self._run("BEGIN IMMEDIATE")
            yield
        except DiskFull:
            del self._statements[before:]
            self._take_back()
            raise

    def write(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[Any]:
        """Run a statement, and keep it until it is committed; returns its rows, if it has any."""
        rows = self._run(sql, parameters)
        self._statements.append((sql, (parameters,)))
        return rows

    def write_many(self, sql: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Run a statement for each row, which costs far less than one after the other, and keep it all."""
        self._run_many(sql, rows)
        self._statements.append((sql, rows))

    def write_if_new(self, sql: str, parameters: tuple[Any, ...]) -> bool:
        """Insert rows, all or, if the key of one is there, none; returns whether they were inserted."""
        try:
            self._connection.execute(sql, parameters)
        except sqlite3.IntegrityError:
            return False
        except sqlite3.Error as error:
            raise self._problem(error) from error
        self._statements.append((sql, (parameters,)))
        return True

    def read(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[Any]:
        """The rows of a query, which sees every change."""
        self._ready()
        return self._run(sql, parameters)

    def require_working(self) -> None:
        """Raise what has ended all work, if something has."""
        if self._failure is not None:
            raise self._failure

    def commit(self) -> bool:
        """Make sure of all changes; returns whether there were any."""
        self._ready()
        if not self._connection.in_transaction:
            return False
        try:
            self._run("COMMIT")
        except DiskFull:
            self._take_back()
            raise
        self._statements.clear()
        return True

    def _ready(self) -> None:
        self.require_working()
        if self._is_taken_back:
            self._redo()

    def _take_back(self) -> None:
        """Go back to the last commit, and make anew what was complete since; if there is no space for it, later."""
        if self._connection.in_transaction:
            self._run("ROLLBACK")
        self._is_taken_back = True
        try:
            self._redo()
        except DiskFull:
            # It is tried again before anything else is done, and then the caller is told.
            return

    def _redo(self) -> None:
        try:
            if self._statements:
                self._run("BEGIN IMMEDIATE")
            for sql, rows in self._statements:
                self._run_many(sql, rows)
        except DiskFull:
            if self._connection.in_transaction:
                self._run("ROLLBACK")
            raise
        self._is_taken_back = False

    def _run(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[Any]:
        try:
            return self._connection.execute(sql, parameters).fetchall()
        except sqlite3.Error as error:
            raise self._problem(error) from error

    def _run_many(self, sql: str, rows: Sequence[tuple[Any, ...]]) -> None:
        try:
            if len(rows) == 1:
                # Also a statement that returns rows, which `executemany` refuses.
                self._connection.execute(sql, rows[0]).fetchall()
            else:
                self._connection.executemany(sql, rows)
        except sqlite3.Error as error:
            raise self._problem(error) from error

    def _problem(self, error: sqlite3.Error) -> StoreError:
        problem = meaning(error)
        if not isinstance(problem, DiskFull):
            self.fail(problem)
        return problem
