"""Many subscriptions in one file: JSON Lines or Parquet, with `id`, `language`, `text` and perhaps `owner`.

A bad line or row is reported and passed over; a file that is bad as a whole raises.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from triplewire.errors import InputError, LimitExceeded
from triplewire.languages.entries import BadEntry, SubscriptionEntry, decoded

MAX_LINE_BYTES = 1 << 20
_ROWS_AT_A_TIME = 1_000
_WANTED = "an object with the strings id, language and text"


class _Record(msgspec.Struct, frozen=True):
    id: str
    language: str
    text: str
    owner: str | None = None


def json_lines(path: Path) -> Iterator[SubscriptionEntry | BadEntry]:
    """The entries of a JSON Lines file. Empty lines are passed over."""
    empty = True
    with path.open("rb") as file:
        for number, line in enumerate(_lines(file), 1):
            if line.strip():
                empty = False
                yield _json_entry(path, number, line)
    if empty:
        raise InputError(wanted=f"{_WANTED} on each line", found="no line")


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    for number in itertools.count(1):
        line = file.readline(MAX_LINE_BYTES + 1)
        if not line:
            return
        if len(line) > MAX_LINE_BYTES:
            raise LimitExceeded(
                "line bytes", MAX_LINE_BYTES, wanted=f"lines of at most {MAX_LINE_BYTES:,} bytes", found="a longer one"
            ).standing_at(number)
        yield line


def _json_entry(path: Path, number: int, line: bytes) -> SubscriptionEntry | BadEntry:
    source = f"{path} line {number}"
    try:
        return _entry(path, source, number, msgspec.json.decode(decoded(line), type=_Record))
    except InputError as error:
        return BadEntry(str(path), number, error.located_in(source))
    except (msgspec.DecodeError, RecursionError) as error:
        return BadEntry(str(path), number, _other(error, source))


def _entry(path: Path, source: str, place: int, record: _Record) -> SubscriptionEntry:
    if not record.id:
        raise InputError(wanted="an id that is not empty", found="an empty one")
    return SubscriptionEntry(
        str(path), f"{source} ({record.id!r})", place, record.id, record.language, record.text, record.owner
    )


def _other(error: Exception, source: str) -> InputError:
    return InputError(wanted=_WANTED, found=f"something else: {error}", source=source)


def parquet(path: Path) -> Iterator[SubscriptionEntry | BadEntry]:
    """The entries of a Parquet file. Other columns are passed over."""
    # Imported here: most runs read no Parquet, and the import takes longer than they do.
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            columns = _columns(file.schema_arrow.names)
            if not file.metadata.num_rows:
                raise InputError(wanted=f"{_WANTED} in each row", found="no row")
            batches = file.iter_batches(batch_size=_ROWS_AT_A_TIME, columns=columns)
            rows = (row for batch in batches for row in batch.to_pylist())
            for number, row in enumerate(rows, 1):
                yield _row_entry(path, number, row)
    except (pyarrow.ArrowException, UnicodeDecodeError) as error:
        raise InputError(wanted="a Parquet file of subscriptions", found=f"something else: {error}") from None


def _columns(found: list[str]) -> list[str]:
    missing = [name for name in ("id", "language", "text") if name not in found]
    if missing:
        raise InputError(wanted="the columns id, language and text", found=f"no {' and no '.join(missing)}")
    return [name for name in _Record.__struct_fields__ if name in found]


def _row_entry(path: Path, number: int, row: dict[str, object]) -> SubscriptionEntry | BadEntry:
    source = f"{path} row {number}"
    try:
        return _entry(path, source, number, msgspec.convert(row, _Record))
    except InputError as error:
        return BadEntry(str(path), number, error.located_in(source))
    except msgspec.ValidationError as error:
        return BadEntry(str(path), number, _other(error, source))
