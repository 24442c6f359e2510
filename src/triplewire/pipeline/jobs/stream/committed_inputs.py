"""What the lake has of a stream: the inputs of each micro-batch, as its commit names them.

A micro-batch is a repeat if its inputs are those of a commit, not because it has the number of one: whoever removes a
stream's checkpoint makes Spark count from 0 again, over what is there now.

Files are told apart by path, size and time. So a stream of files goes on without its checkpoint: what the lake has is
left out, the rest gets the next numbers. A file that has changed since it was read counts as another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from triplewire.pipeline.lake.commit_names import CommitName
from triplewire.pipeline.lake.event_lake import Lake
from triplewire.pipeline.lake.tables import Run
from triplewire.pipeline.sources.files import SourceFile

_UNTIL = re.compile(r" until (\d+)$")


class CommittedInputs:
    """The inputs of one stream's commits."""

    def __init__(self, commits: Iterable[Run]) -> None:
        self._numbers: dict[str, int] = {}
        self._paths: set[str] = set()
        self.last: list[str] = []
        self.next = 0
        for commit in commits:
            self.add(commit.batch or 0, commit.stamps)

    def add(self, number: int, inputs: Sequence[str]) -> None:
        """A commit has been made; numbers must grow."""
        self._numbers |= dict.fromkeys(inputs, number)
        self._paths |= {text.partition("?")[0] for text in inputs}
        self.last, self.next = list(inputs), number + 1

    def number(self, file: SourceFile) -> int | None:
        """The micro-batch that has read a file, if one has."""
        return self._numbers.get(stamp(file))

    def knows(self, path: str) -> bool:
        """Whether a file at this path was read, whatever it was like."""
        return path in self._paths


def committed_inputs(lake: Lake, name: str) -> CommittedInputs:
    """What a lake has of a stream."""
    return CommittedInputs(lake.commits_of(name))


def commit_of(name: str, number: int) -> CommitName:
    """The name of a micro-batch's commit."""
    return CommitName(name, number)


def stamp(file: SourceFile) -> str:
    """A file as it is named among the inputs of a commit."""
    return f"{file.path}?size={file.size}&modified={file.modified.isoformat()}"


def end_of(text: str) -> int:
    """Where an input ends that is a range of a log.

    >>> end_of("node 5f3a after 0 until 42")
    42
    """
    found = _UNTIL.search(text)
    return int(found[1]) if found else 0
