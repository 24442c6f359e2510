"""Open a lake. Several processes may write to one at the same time.

LAKE/_triplewire/lake.json          this is a lake
LAKE/_triplewire/commits/           commits that are decided and perhaps not complete (see `commits`)
LAKE/_triplewire/indexes/VERSION/   every index that was used, so that a run can be repeated
LAKE/_triplewire/streams/           the sources of streams, and their checkpoints
LAKE/_triplewire/progress/          what tasks write while they run
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import msgspec
from msgspec import Struct

from triplewire.errors import LakeError, PipelineError
from triplewire.pipeline.lake.commit_names import CommitName, checked_name, rewrite_folder
from triplewire.pipeline.lake.commits import DATA_TABLES, Commit, CommitLog
from triplewire.pipeline.lake.delta_tables import LakeTable, TableFile
from triplewire.pipeline.lake.old_form import OldState
from triplewire.pipeline.lake.states import LakeState, current_state, past_state
from triplewire.pipeline.lake.table_writers import Draft, Part
from triplewire.pipeline.lake.tables import RUNS, TABLES, Run
from triplewire.pipeline.storage.creation import create_bytes
from triplewire.pipeline.storage.files import (
    delete_folder,
    find_file,
    folder_exists,
    list_files,
    list_folders,
    read_bytes,
)
from triplewire.pipeline.storage.location import Location

FORMAT = 2
OLD_FORMAT = 1
_OURS = "_triplewire"


class _Description(Struct, frozen=True):
    format: int


class Lake:
    """An event lake. Make one with `open_lake` to write, or with `existing_lake` to read."""

    def __init__(self, root: Location, *, is_old: bool = False) -> None:
        self.root = root
        self.is_old = is_old
        self.indexes = root / _OURS / "indexes"
        self.streams = root / _OURS / "streams"
        self._log = CommitLog(root)

    def state(self, as_of: str | None = None) -> LakeState:
        """The tables as of one moment: now, or a version of `runs`, or a time."""
        if self.is_old:
            if as_of is not None:
                raise LakeError(wanted="a lake that has versions", found="one of the form before", source=self.root.uri)
            return OldState(self.root)
        return current_state(self.root) if as_of is None else past_state(self.root, as_of)

    def has(self, commit: CommitName) -> bool:
        """Whether a commit has been made."""
        return LakeTable(self.root, RUNS).has(commit)

    def run_row(self, commit: CommitName) -> Run:
        """The row of a commit that has been made."""
        for row in self._rows():
            if (row.run, row.batch) == (commit.run, commit.batch):
                return row
        raise LakeError(wanted=f"the run {commit.label}", found="none of that name", source=self.root.uri)

    def runs(self) -> set[str]:
        """The runs that have committed something."""
        return {row["run"] for row in self.state().rows(RUNS, ["run"])}

    def commits_of(self, run: str) -> list[Run]:
        """The rows of a stream's micro-batches, in order."""
        rows = [row for row in self._rows() if row.run == run and row.batch is not None]
        return sorted(rows, key=lambda row: row.batch or 0)

    @contextmanager
    def drafting(self, commit: CommitName) -> Iterator[Draft]:
        """A draft of a commit for the block. If the block fails nothing stays of it, save of a decided commit."""
        yield from self._drafting(commit, Draft(self.root, commit.new_folder(), commit.run, commit.batch))

    @contextmanager
    def redrafting(self, run: str) -> Iterator[Draft]:
        """A draft of a commit that replaces files of other commits, whose rows say whose they are."""
        yield from self._drafting(CommitName(run), Draft(self.root, rewrite_folder(run)))

    def _drafting(self, commit: CommitName, draft: Draft) -> Iterator[Draft]:
        try:
            yield draft
        except BaseException:
            # It is the block's error that counts; what stays then is for `vacuum`.
            with suppress(PipelineError, OSError):
                self._forget(commit, draft)
            raise
        finally:
            with suppress(PipelineError, OSError):
                delete_folder(draft.progress)

    def _forget(self, commit: CommitName, draft: Draft) -> None:
        """Delete the files of a draft, unless its commit was decided: then there is a record, or a row in `runs`."""
        records = list_files(self.root / _OURS / "commits")
        if any(draft.folder.encode() in read_bytes(record.location) for record in records) or self.has(commit):
            return
        for table in TABLES:
            delete_folder(self.root / table / draft.folder)

    def publish(
        self,
        commit: CommitName,
        row: Run,
        parts: Sequence[Part],
        removes: dict[str, list[TableFile]] | None = None,
        covers: Sequence[CommitName] = (),
        seen: int = -1,
    ) -> Run:
        """Make a commit: decide it, and carry it out. Returns the row of the one that counts, if another was first."""
        adds = {table: [part for part in parts if part.table == table] for table in DATA_TABLES}
        filled = {table: found for table, found in adds.items() if found}
        asked = Commit(commit, row, filled, removes or {}, list(covers), seen)
        return self._log.make(asked).row

    def recover(self) -> None:
        """Carry out what was decided by a writer that was killed."""
        self._log.recover()

    def _rows(self) -> Iterator[Run]:
        for row in self.state().rows(RUNS):
            yield msgspec.convert({**row, "stamps": row["stamps"] or [], "versions": dict(row["versions"] or [])}, Run)


def existing_lake(root: Location) -> Lake:
    """A lake to read from. One of the form before is read as it is."""
    found = format_of(root)
    if found not in (OLD_FORMAT, FORMAT):
        raise LakeError(wanted=f"a lake of format {FORMAT}", found=f"format {found}", source=root.uri)
    return Lake(root, is_old=found == OLD_FORMAT)


def open_lake(root: Location) -> Lake:
    """A lake to write to, new or old."""
    description = root / _OURS / "lake.json"
    if find_file(description) is None:
        others = [folder for folder in list_folders(root) if folder.name != _OURS]
        if find_file(root) is not None or list_files(root) or others:
            raise LakeError(
                wanted="a new folder, an empty one or an event lake", found="something else", source=root.uri
            )
        with suppress(FileExistsError):
            create_bytes(description, msgspec.json.encode(_Description(FORMAT)))
    lake = existing_lake(root)
    if lake.is_old:
        raise LakeError(
            wanted=f"a lake of format {FORMAT}, whose tables are Delta Lake tables, to write to",
            found=f"format {OLD_FORMAT}, folders of Parquet, which is only read",
            hint="triplewire pipeline migrate --lake LAKE carries it over",
            source=root.uri,
        )
    lake.recover()
    # Tables that are not ours to write are an error now, not after the work.
    lake.state()
    return lake


def format_of(root: Location) -> int:
    """The number of the form that a lake has."""
    path = root / _OURS / "lake.json"
    try:
        return msgspec.json.decode(read_bytes(path), type=_Description).format
    except (FileNotFoundError, NotADirectoryError):
        raise LakeError(wanted="an event lake", found=f"no {_OURS}/lake.json in it", source=root.uri) from None
    except msgspec.DecodeError as error:
        raise LakeError(f"the lake is damaged: {error}", source=path.uri) from None


def require_room(lake: Lake, run: str) -> None:
    """Raise `LakeError` if the lake holds data of runs other than this one."""
    others = sorted(lake.runs() - {run})
    if others:
        shown = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
        raise LakeError(
            wanted="an empty lake or this run's own",
            found=f"data of {shown}",
            hint="--append adds to it, --run-id continues a run",
            source=lake.root.uri,
        )


__all__ = ["TABLES", "Lake", "checked_name", "existing_lake", "folder_exists", "open_lake", "require_room"]
