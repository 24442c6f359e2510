"""A commit over several tables. Delta has none, so it is decided first, in one place, and then carried out.

    LAKE/_triplewire/commits/LABEL.json    a commit that is decided and perhaps not complete: what each table gets

Failure policy: a commit is decided by the creation of its record, which succeeds for one writer only; whatever a record
names is on disk before. It is carried out table by table, each change with the commit's transaction, and `runs` last;
then the record goes. A writer may be killed at any moment, and so may the machine: the next one carries out what is
decided, which does no harm twice, and nobody reads what was never decided.

Files are replaced by one commit at a time: its record has a name that all such commits share. If what it replaces is
not there any more, it has come too late and is dropped.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from triplewire.errors import LakeError
from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.delta_tables import LakeTable, TableFile, files_of, transaction_in, version_of
from triplewire.pipeline.lake.table_writers import Draft, Part, write_rows
from triplewire.pipeline.lake.tables import EVENTS, NOTIFICATIONS, QUADS, REJECTS, RUNS, Run
from triplewire.pipeline.storage.creation import create_bytes
from triplewire.pipeline.storage.files import delete_file, list_files, read_bytes
from triplewire.pipeline.storage.location import Location
from triplewire.system.durable_files import sync_files

# The order in which tables are changed; `runs` is the last.
DATA_TABLES = (EVENTS, QUADS, NOTIFICATIONS, REJECTS)
_REWRITE = "rewrite"
_NONE = -1


class Commit(Struct, frozen=True):
    """What a commit changes. `row` is its row in `runs`.

    One that replaces files, or makes `quads` of what other commits have brought (`covers`), holds only for tables that
    nobody has rewritten meanwhile: `seen` is the version that it saw of `quads`.
    """

    name: CommitName
    row: Run
    adds: dict[str, list[Part]]
    removes: dict[str, list[TableFile]] = {}
    covers: list[CommitName] = []
    seen: int = _NONE

    @property
    def rewrites(self) -> bool:
        return bool(self.removes or self.covers)

    @property
    def record(self) -> str:
        return f"{_REWRITE if self.rewrites else self.name.label}.json"

    def changes(self, table: str) -> bool:
        return bool(self.adds.get(table) or self.removes.get(table) or (self.covers and table == QUADS))


class CommitLog:
    """The decided commits of a lake."""

    def __init__(self, lake: Location) -> None:
        self._lake = lake
        self._folder = lake / "_triplewire" / "commits"
        self._tables = {name: LakeTable(lake, name) for name in (*DATA_TABLES, RUNS)}

    def make(self, commit: Commit) -> Commit:
        """Decide a commit and carry it out. If another writer has decided one of that name, that one counts."""
        self._force_files(commit)
        self._require_sound()
        record = self._folder / commit.record
        while True:
            try:
                create_bytes(record, msgspec.json.encode(commit))
                break
            except FileExistsError:
                decided = self._read(record)
                if decided is not None:
                    self._complete(decided)
                if decided is not None and not commit.rewrites:
                    return decided
        self._complete(commit)
        return commit

    def recover(self) -> None:
        """Carry out what others have decided."""
        for file in list_files(self._folder):
            decided = self._read(file.location)
            if decided is not None:
                self._complete(decided, mine=False)

    def _complete(self, commit: Commit, *, mine: bool = True) -> None:
        try:
            self._carry_out(commit)
        except _TooLate as late:
            delete_file(self._folder / commit.record)
            if mine:
                raise late.problem from None
        else:
            delete_file(self._folder / commit.record)

    def _carry_out(self, commit: Commit) -> None:
        """Change the tables. Doing it again does no harm."""
        runs = self._tables[RUNS]
        if runs.has(commit.name):
            return
        self._require_in_time(commit)
        versions = {
            table: self._tables[table].change(
                commit.name,
                commit.adds.get(table, []),
                commit.removes.get(table, []),
                commit.covers if table == QUADS else (),
            )
            for table in DATA_TABLES
            if commit.changes(table)
        }
        row = msgspec.structs.replace(commit.row, versions=versions)
        part = write_rows(Draft(self._lake, commit.name.new_folder()), RUNS, [msgspec.structs.asdict(row)])
        if part is not None:
            self._force(RUNS, [part])
            runs.change(commit.name, [part])

    def _require_sound(self) -> None:
        """A commit that is decided must be one that can be carried out."""
        for table in self._tables.values():
            table.opened()

    def _require_in_time(self, commit: Commit) -> None:
        """Nothing is replaced unless all that is to be replaced is there; once it was begun, all of it is done."""
        if not commit.rewrites:
            return
        opened = {name: table.opened() for name, table in self._tables.items() if commit.changes(name)}
        if any(table is not None and transaction_in(table, commit.name) for table in opened.values()):
            return
        if commit.covers and version_of(opened[QUADS]) != commit.seen:
            raise self._too_late(QUADS, 0)
        for name, table in opened.items():
            there = set() if table is None else {file.path for file in files_of(table)}
            if gone := {file.path for file in commit.removes.get(name, [])} - there:
                raise self._too_late(name, len(gone))

    def _too_late(self, table: str, gone: int) -> _TooLate:
        found = f"{gone:,} that another run has replaced" if gone else "that another run has changed it"
        return _TooLate(
            LakeError(
                wanted=f"to replace files of the table {table}",
                found=f"{found} meanwhile; nothing was changed",
                hint="the same call looks again",
                source=self._lake.uri,
            )
        )

    def _read(self, record: Location) -> Commit | None:
        try:
            return msgspec.json.decode(read_bytes(record), type=Commit)
        except FileNotFoundError:
            # Whoever had decided it is done.
            return None
        except msgspec.DecodeError as error:
            raise LakeError(f"the record of a commit is damaged: {error}", source=record.uri) from None

    def _force_files(self, commit: Commit) -> None:
        for table, parts in commit.adds.items():
            self._force(table, parts)

    def _force(self, table: str, parts: list[Part]) -> None:
        """An object storage has done so when it answers."""
        if self._lake.is_local and parts:
            sync_files((self._lake / table).local, [part.path for part in parts])


class _TooLate(Exception):  # noqa: N818  no error: a commit that is dropped
    def __init__(self, problem: LakeError) -> None:
        super().__init__(str(problem))
        self.problem = problem
