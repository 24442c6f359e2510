"""How a commit is named: a run, which is one commit, or a micro-batch of a stream.

The name is the application transaction of every Delta commit that it makes, and the folder of its files says it too. So
a reader can tell which files belong to a commit that is not complete, and whoever repeats a commit finds it made.
"""

from __future__ import annotations

import re
import uuid

from msgspec import Struct

from triplewire.errors import LakeError

_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$")
_FOLDER = re.compile(r"^(?P<run>.+)-(?P<number>once|[0-9]{8})-[0-9a-f]{8}/")


class CommitName(Struct, frozen=True):
    """A run, or one micro-batch of it."""

    run: str
    batch: int | None = None

    def __post_init__(self) -> None:
        checked_name(self.run)

    @property
    def app(self) -> str:
        """The application of its transaction: runs and streams of the same name are told apart."""
        return f"run:{self.run}" if self.batch is None else f"stream:{self.run}"

    @property
    def number(self) -> int:
        """The number of its transaction."""
        return self.batch or 0

    @property
    def label(self) -> str:
        """
        >>> CommitName("tuesday").label, CommitName("papers", 7).label
        ('tuesday-once', 'papers-00000007')
        """
        return f"{self.run}-{'once' if self.batch is None else f'{self.batch:08}'}"

    def new_folder(self) -> str:
        """A folder for the files of one attempt to make the commit."""
        return f"{self.label}-{uuid.uuid4().hex[:8]}"


def rewrite_folder(run: str) -> str:
    """A folder for files that hold rows of other commits, which are complete."""
    return f"{checked_name(run)}-rewritten-{uuid.uuid4().hex[:8]}"


def commit_of_file(path: str) -> CommitName | None:
    """The commit that a file of a table came with; None for one that was rewritten, or is somebody else's.

    >>> commit_of_file("papers-00000007-0a1b2c3d/00000-ffffffffffff.parquet")
    CommitName(run='papers', batch=7)
    >>> commit_of_file("compact-x-rewritten-0a1b2c3d/00000-ffffffffffff.parquet")
    """
    found = _FOLDER.match(path)
    if found is None:
        return None
    return CommitName(found["run"], None if found["number"] == "once" else int(found["number"]))


def checked_name(name: str) -> str:
    """A name for a run that is safe as the name of a file."""
    if not _NAME.match(name):
        raise LakeError(wanted="a name of letters, digits, dots, dashes and underscores", found=repr(name))
    return name
