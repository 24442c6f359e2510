"""Rules and updates from files."""

from __future__ import annotations

import os
from pathlib import Path

from triplewire.errors import InputError, LimitExceeded
from triplewire.languages.entries import decoded
from triplewire.languages.rdftl.parser import MAX_FILE_BYTES, parse_rules, parse_updates
from triplewire.languages.rdftl.syntax import Rule, Update

_AnyPath = str | os.PathLike[str]


def read_rules(path: _AnyPath) -> tuple[Rule, ...]:
    """All rules of a file, or the first error, with the file's name."""
    return parse_rules(_text(Path(path)), source=str(path))


def read_updates(path: _AnyPath) -> tuple[Update, ...]:
    """All updates of a file, or the first error, with the file's name."""
    return parse_updates(_text(Path(path)), source=str(path))


def _text(path: Path) -> str:
    try:
        return decoded(_bytes(path))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", source=str(path)) from None
    except InputError as error:
        raise error.located_in(str(path)) from None


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise LimitExceeded("file bytes", MAX_FILE_BYTES, wanted=f"at most {MAX_FILE_BYTES:,} bytes", found="more")
    return data
