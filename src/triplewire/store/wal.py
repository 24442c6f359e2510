"""A look at SQLite's write-ahead log before SQLite opens it.

SQLite ends its recovery at the first frame whose checksum is wrong, and says nothing about what follows. That is right
for a torn end, which was never acknowledged; it is silent loss where a bit flipped in the middle (row F4). Frames of
one generation carry the same salts, and a frame that ends a transaction says so: if two or more transactions end
behind a bad frame, the frames before them had been synced, and the log is damaged.

The format: https://sqlite.org/fileformat2.html#walformat
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from triplewire.errors import DamagedStore

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_MAGIC_BIG = 0x377F0683
_MAGIC_LITTLE = 0x377F0682
_TORN = 1
_WORD = 0xFFFFFFFF

Sums = tuple[int, int]


class WalFrame(Struct, frozen=True):
    """One page in the log. `commits` says that it ends a transaction, `is_good` that its checksum holds."""

    number: int
    commits: bool
    is_good: bool


def check_wal(path: Path) -> None:
    """Raise `DamagedStore` if transactions that were synced lie behind a damaged frame. No file is no damage."""
    if not path.exists() or path.stat().st_size < _HEADER.size:
        return
    bad: WalFrame | None = None
    lost = 0
    for frame in frames(path):
        if bad is None and not frame.is_good:
            bad = frame
        lost += bad is not None and frame.commits
    if bad is not None and lost > _TORN:
        raise DamagedStore(
            wanted=f"every frame of {path.name} as it was written",
            found=f"frame {bad.number} damaged and {lost} transactions behind it",
            hint="restore the folder from a copy",
        )


def frames(path: Path) -> Iterator[WalFrame]:
    """The frames of the newest generation, the damaged one and those behind it included."""
    with path.open("rb") as file:
        header = file.read(_HEADER.size)
        magic, _, page, _, *salts, first, second = _HEADER.unpack(header)
        if magic not in (_MAGIC_BIG, _MAGIC_LITTLE):
            raise DamagedStore(wanted=f"the header of a write-ahead log in {path.name}", found=f"{magic:#x}")
        order = ">" if magic == _MAGIC_BIG else "<"
        sums = checksum(header[:24], (0, 0), order)
        if sums != (first, second):
            raise DamagedStore(wanted=f"the header of {path.name} as it was written", found="another checksum")
        number, is_good = 0, True
        while len(raw := file.read(_FRAME.size + page)) == _FRAME.size + page:
            _, commit, *own_salts, first, second = _FRAME.unpack_from(raw)
            if own_salts != salts:
                return
            sums = checksum(raw[:8] + raw[_FRAME.size :], sums, order)
            is_good = is_good and sums == (first, second)
            number += 1
            yield WalFrame(number, commit != 0, is_good)


def checksum(data: bytes, sums: Sums, order: str) -> Sums:
    """SQLite's running checksum over pairs of words."""
    one, two = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for index in range(0, len(words), 2):
        one = (one + words[index] + two) & _WORD
        two = (two + words[index + 1] + one) & _WORD
    return one, two
