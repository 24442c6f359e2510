"""Which files a stream has seen, as an offset that Spark keeps: a hash of eight bytes for each path.

A file counts by its path, not by its time: one that is renamed into place with an older time than what was read before
is new all the same. A path that has left the folder is forgotten with the next files, so that an offset is as large as
the folder, not as the history; a file that appears again under such a path is read again.
"""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from triplewire.errors import InputError
from triplewire.pipeline.sources.files import SourceFile

_FILES, _SEEN = "files", "seen"

Seen = frozenset[int]
NOTHING: Seen = frozenset()


def path_hash(file: SourceFile) -> int:
    """The hash of a file's path."""
    return int.from_bytes(hashlib.blake2b(file.path.encode(errors="surrogateescape"), digest_size=8).digest(), "little")


def to_offset(seen: Seen) -> dict[str, Any]:
    """
    >>> to_offset(frozenset({1, 258}))
    {'files': 2, 'seen': 'AQAAAAAAAAACAQAAAAAAAA=='}
    """
    keys = np.array(sorted(seen), "<u8")
    return {_FILES: len(seen), _SEEN: b64encode(keys.tobytes()).decode()}


def of_offset(offset: Mapping[str, Any]) -> Seen:
    """
    >>> sorted(of_offset({"files": 2, "seen": "AQAAAAAAAAACAQAAAAAAAA=="}))
    [1, 258]
    """
    if _SEEN not in offset:
        raise InputError(
            wanted="an offset with the files that were seen",
            found=str(dict(offset)),
            hint="the checkpoint is of an older version: begin with another checkpointLocation",
        )
    return frozenset(np.frombuffer(b64decode(offset[_SEEN]), "<u8").tolist())


def unseen(files: Iterable[SourceFile], seen: Seen) -> list[SourceFile]:
    """The files that are new, the oldest first."""
    return sorted((file for file in files if path_hash(file) not in seen), key=lambda file: (file.modified, file.path))


def having_seen(seen: Seen, listed: Iterable[SourceFile], taken: Iterable[SourceFile]) -> Seen:
    """What is seen when `taken` is, of files that are still there."""
    return (seen & {path_hash(file) for file in listed}) | {path_hash(file) for file in taken}
