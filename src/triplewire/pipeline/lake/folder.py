"""The lake's folder: one writer at a time, and commits that become visible as a whole.

    LAKE/_triplewire/lake.json          this is a lake
    LAKE/_triplewire/lock               held by the one writer
    LAKE/_triplewire/commits/ID.json    a commit that is decided: the files it adds and removes
    LAKE/_triplewire/indexes/VERSION/   every index that was used, so that a run can be repeated
    LAKE/_triplewire/files/TABLE/*      a second name for each file of a table: what readers open stays when a table is
                                        rewritten, until `forget` is called
    LAKE/.staging/ID/TABLE/*.parquet    files of a commit that is not decided yet, or not carried out

Failure policy: a commit is decided by the one rename that puts its record in place. What is staged without a record was
never committed, and the next writer deletes it; a record whose files are still staged is carried out by the next
writer. So a writer may be killed at any moment, and so may the machine: whatever a record names is on disk before the
record is, and in its table's folder before what it replaces is removed. A reader that comes in the few milliseconds in
which files are moved may see some of them before the others.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from triplewire.errors import LakeError
from triplewire.pipeline.lake.table_writers import Part
from triplewire.pipeline.lake.tables import TABLES
from triplewire.system.durable_files import replace_file, sync, sync_files
from triplewire.system.folder_lock import lock_folder

FORMAT = 1
_OURS = "_triplewire"
_STAGING = ".staging"
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$")


class Commit(Struct, frozen=True):
    """What a commit changes: files by their place under the lake, as TABLE/NAME. `run` is what it is part of.

    `inputs` name exactly what a micro-batch of a stream has read, so that a repeat is known by them.
    """

    id: str
    run: str
    adds: list[str]
    removes: list[str] = []
    inputs: list[str] = []


class _Description(Struct, frozen=True):
    format: int


class Lake:
    """An event lake. Make one with `open_lake` to write, or with `existing_lake` to read."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.indexes = root / _OURS / "indexes"
        self.streams = root / _OURS / "streams"
        self._commits = root / _OURS / "commits"
        self._kept = root / _OURS / "files"

    def table(self, name: str) -> Path:
        """The folder of a table."""
        return self.root / name

    def files(self, name: str) -> list[Path]:
        """The files of a table, by name."""
        return sorted(self.table(name).glob("*.parquet"))

    def opened(self, name: str) -> list[Path]:
        """The same files by names that stay for a while when the table is rewritten, where the disk has such names."""
        return [kept if (kept := self._kept / name / path.name).exists() else path for path in self.files(name)]

    def forget(self, before: float) -> int:
        """Remove for good what was replaced before a moment, in seconds since 1970; returns the number of files."""
        old = [commit for commit in self._all_commits() if commit.removes]
        decided = [commit for commit in old if self._record(commit.id).stat().st_mtime <= before]
        gone = [path for commit in decided for name in commit.removes if (path := self._kept / name).exists()]
        for path in gone:
            path.unlink()
        return len(gone)

    def has(self, commit: str) -> bool:
        """Whether a commit has been made."""
        return self._record(commit).is_file()

    def commit(self, commit: str) -> Commit:
        """The record of a commit that has been made."""
        return msgspec.json.decode(self._record(commit).read_bytes(), type=Commit)

    def runs(self) -> set[str]:
        """The runs that have committed something."""
        return {commit.run for commit in self._all_commits()}

    def commits_of(self, run: str) -> list[Commit]:
        """What a run has committed, in order."""
        return sorted((commit for commit in self._all_commits() if commit.run == run), key=lambda commit: commit.id)

    def staging(self, commit: str) -> Path:
        """An empty folder for the files of a commit to be."""
        folder = self.root / _STAGING / checked_name(commit)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    @contextmanager
    def drafting(self, commit: str) -> Iterator[Path]:
        """A staging folder for the block. If the block fails nothing stays of it, save of a decided commit."""
        folder = self.staging(commit)
        try:
            yield folder
        except BaseException:
            if not self.has(commit):
                shutil.rmtree(folder, ignore_errors=True)
            raise

    def publish(
        self, commit: str, run: str, parts: list[Part], removes: Sequence[str] = (), inputs: Sequence[str] = ()
    ) -> None:
        """Make a commit visible. Its parts lie in its staging folder."""
        adds = [f"{part.table}/{part.name}" for part in parts]
        record = Commit(commit, run, adds, list(removes), list(inputs))
        self._commits.mkdir(parents=True, exist_ok=True)
        sync_files(self.root / _STAGING / commit, adds)
        replace_file(self._record(commit), msgspec.json.encode(record))
        self._carry_out(record)

    def recover(self) -> None:
        """Finish what was decided, and forget what was not. Only the one writer may."""
        staging = self.root / _STAGING
        for folder in sorted(staging.iterdir()) if staging.is_dir() else []:
            record = self._record(folder.name)
            if record.is_file():
                self._carry_out(msgspec.json.decode(record.read_bytes(), type=Commit))
            else:
                shutil.rmtree(folder, ignore_errors=True)

    def _carry_out(self, commit: Commit) -> None:
        """Move and remove files. Doing it again does no harm."""
        staged = self.root / _STAGING / commit.id
        for name in commit.adds:
            target = self.root / name
            target.parent.mkdir(exist_ok=True)
            if (staged / name).exists():
                (staged / name).rename(target)
            _link(target, self._kept / name)
        for table in {Path(name).parent for name in commit.adds}:
            sync(self.root / table)
        sync(self.root)
        for name in commit.removes:
            (self.root / name).unlink(missing_ok=True)
        shutil.rmtree(staged, ignore_errors=True)

    def _all_commits(self) -> Iterator[Commit]:
        for path in self._commits.glob("*.json"):
            yield msgspec.json.decode(path.read_bytes(), type=Commit)

    def _record(self, commit: str) -> Path:
        return self._commits / f"{checked_name(commit)}.json"


def _link(target: Path, name: Path) -> None:
    """Give a file a second name. Not every disk can: there a reader has only the first."""
    name.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):
        name.hardlink_to(target)


def checked_name(name: str) -> str:
    """A name for a run or commit that is safe as the name of a file."""
    if not _NAME.match(name):
        raise LakeError(wanted="a name of letters, digits, dots, dashes and underscores", found=repr(name))
    return name


def existing_lake(root: Path) -> Lake:
    """A lake to read from."""
    path = root / _OURS / "lake.json"
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_Description)
    except (FileNotFoundError, NotADirectoryError):
        raise LakeError(wanted="an event lake", found=f"no {path.relative_to(root)} in it", source=str(root)) from None
    except msgspec.DecodeError as error:
        raise LakeError(f"the lake is damaged: {error}", source=str(path)) from None
    if found.format != FORMAT:
        raise LakeError(wanted=f"a lake of format {FORMAT}", found=f"format {found.format}", source=str(root))
    return Lake(root)


@contextmanager
def open_lake(root: Path) -> Iterator[Lake]:
    """A lake to write to, new or old, for this process alone."""
    if root.exists() and not (root / _OURS).exists() and (not root.is_dir() or any(root.iterdir())):
        raise LakeError(wanted="a new folder, an empty one or an event lake", found="something else", source=str(root))
    (root / _OURS).mkdir(parents=True, exist_ok=True)
    in_use = LakeError(wanted="to write to the lake", found="another run that is writing to it", source=str(root))
    with lock_folder(root / _OURS / "lock", in_use):
        description = root / _OURS / "lake.json"
        if not description.exists():
            replace_file(description, msgspec.json.encode(_Description(FORMAT)))
        lake = existing_lake(root)
        lake.recover()
        yield lake


def require_room(lake: Lake, run: str) -> None:
    """Raise `LakeError` if the lake holds data of runs other than this one."""
    others = sorted(lake.runs() - {run})
    if others:
        shown = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
        raise LakeError(
            wanted="an empty lake or this run's own",
            found=f"data of {shown}",
            hint="--append adds to it, --run-id continues a run",
            source=str(lake.root),
        )


__all__ = ["TABLES", "Commit", "Lake", "checked_name", "existing_lake", "open_lake", "require_room"]
