"""Subscriptions from files and folders.

A file in one of the languages is one subscription, and its name without the suffix is the identifier. A folder is all
such files in it, by name. Many at once come as `.jsonl` or `.parquet`; a folder that has only such files, at any depth,
is a table. What cannot be read is returned beside what can, each with its place; nothing is dropped silently.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from triplewire.algebra.subscriptions import Subscription, languages
from triplewire.errors import InputError, LimitExceeded
from triplewire.languages import bulk
from triplewire.languages.entries import BadEntry, SubscriptionEntry, decoded

__all__ = [
    "BadEntry",
    "each_entry",
    "each_subscription",
    "load_subscriptions",
    "parse_entry",
    "read_subscriptions",
]

MAX_FILE_BYTES = 1 << 20
_DELTA_LOG = "_delta_log"

_AnyPath = str | os.PathLike[str]
_Entries = Iterator[SubscriptionEntry | BadEntry]
_BULK: dict[str, Callable[[Path], _Entries]] = {".jsonl": bulk.json_lines, ".parquet": bulk.parquet}


def read_subscriptions(paths: Iterable[_AnyPath]) -> tuple[list[Subscription], list[BadEntry]]:
    """Everything that can be read, and everything that cannot, with the reason."""
    good: list[Subscription] = []
    bad: list[BadEntry] = []
    for found in each_subscription(paths):
        if isinstance(found, Subscription):
            good.append(found)
        else:
            bad.append(found)
    return good, bad


def load_subscriptions(paths: Iterable[_AnyPath]) -> list[Subscription]:
    """Every subscription, or the first error."""
    loaded = []
    for found in each_subscription(paths):
        if isinstance(found, BadEntry):
            raise found.error
        loaded.append(found)
    return loaded


def each_subscription(paths: Iterable[_AnyPath]) -> Iterator[Subscription | BadEntry]:
    """Subscriptions and bad entries in the order in which they stand. All paths together use an identifier once."""
    for entry in each_entry(paths):
        yield entry if isinstance(entry, BadEntry) else parse_entry(entry)


def each_entry(paths: Iterable[_AnyPath]) -> Iterator[SubscriptionEntry | BadEntry]:
    """The same, not parsed."""
    taken: dict[str, str] = {}
    for path in map(Path, paths):
        for entry in _entries(path):
            yield entry if isinstance(entry, BadEntry) else _once(entry, taken)


def parse_entry(entry: SubscriptionEntry) -> Subscription | BadEntry:
    """The subscription that an entry is."""
    try:
        return Subscription.parse(entry.text, language=entry.language, id=entry.id, owner=entry.owner)
    except InputError as error:
        return _bad(entry, error)


def _once(entry: SubscriptionEntry, taken: dict[str, str]) -> SubscriptionEntry | BadEntry:
    try:
        _take(entry, taken)
    except InputError as error:
        return _bad(entry, error)
    return entry


def _bad(entry: SubscriptionEntry, error: InputError) -> BadEntry:
    return BadEntry(entry.file, entry.place, error.located_in(entry.source), entry.id)


def _take(entry: SubscriptionEntry, taken: dict[str, str]) -> None:
    if entry.id in taken:
        raise InputError(wanted="each identifier once", found=f"{entry.id!r} again", hint=f"{taken[entry.id]} has it")
    taken[entry.id] = entry.source


def _entries(path: Path) -> _Entries:
    try:
        yield from _reader(path)(path)
    except InputError as error:
        yield BadEntry(str(path), 0, error.located_in(str(path)))
    except OSError as error:
        yield BadEntry(str(path), 0, InputError(f"cannot be read: {error.strerror or error}", source=str(path)))


def _reader(path: Path) -> Callable[[Path], _Entries]:
    if path.is_dir():
        return _folder
    if not path.exists():
        raise InputError(wanted="a file or a folder of subscriptions", found="nothing")
    if _suffix(path) in _languages():
        return _single
    if _suffix(path) in _BULK:
        return _BULK[_suffix(path)]
    wanted = ", ".join([*_languages(), *_BULK])
    raise InputError(wanted=f"a folder, or a file that ends in one of {wanted}", found=repr(path.name))


def _suffix(path: Path) -> str:
    return path.suffix.lower()


def _languages() -> dict[str, str]:
    return {language.suffix: language.name for language in languages()}


def _folder(folder: Path) -> _Entries:
    suffixes = _languages()
    files = sorted(file for file in folder.iterdir() if _suffix(file) in suffixes and file.is_file())
    for file in files or _table(folder):
        yield from _entries(file)


def _table(folder: Path) -> list[Path]:
    """The files of a table: many at once, at any depth. Names with a dot or an underscore in front are the writer's."""
    if (folder / _DELTA_LOG).is_dir():
        raise InputError(
            wanted="a folder of files",
            found="a Delta table, whose log says which of its files count",
            source=str(folder),
        )
    found = sorted(file for file in folder.rglob("*") if _suffix(file) in _BULK and file.is_file())
    files = [file for file in found if not any(step[0] in "._" for step in file.relative_to(folder).parts)]
    if not files:
        wanted = ", ".join([*_languages(), *_BULK])
        raise InputError(wanted=f"files that end in one of {wanted} in this folder", found="none")
    return files


def _single(path: Path) -> _Entries:
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise LimitExceeded("file bytes", MAX_FILE_BYTES, wanted=f"at most {MAX_FILE_BYTES:,} bytes", found="more")
    yield SubscriptionEntry(str(path), str(path), 0, path.stem, _languages()[_suffix(path)], decoded(data))
